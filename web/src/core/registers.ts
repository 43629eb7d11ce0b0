// The special registers of PTX, in words.

const meanings: Record<string, string> = {
  tid: 'index of this thread in its block',
  ntid: 'threads in a block',
  ctaid: 'index of this block (CTA) in the grid',
  nctaid: 'blocks (CTAs) in the grid',
  laneid: 'lane of this thread in its warp, 0 to 31',
  warpid: 'warp in the multiprocessor; it may change while a kernel runs',
  nwarpid: 'warps that a multiprocessor can hold',
  smid: 'multiprocessor that runs this thread',
  nsmid: 'multiprocessors',
  gridid: 'number of this launch',
  clock: 'cycle counter, 32 bits',
  clock64: 'cycle counter, 64 bits',
  lanemask_eq: 'mask with the bit of this lane',
  lanemask_lt: 'mask of the lanes below this one',
  lanemask_le: 'mask of the lanes up to this one',
  lanemask_gt: 'mask of the lanes above this one',
  lanemask_ge: 'mask of the lanes from this one on',
  dynamic_smem_size: 'bytes of dynamic shared memory of this launch',
  total_smem_size: 'bytes of shared memory of this launch',
}

/** `%tid.x` in words; null for an ordinary register. */
export function explainRegister(register: string): string | null {
  const [, name = '', axis] = /^%(\w+?)(?:\.([xyzw]))?$/.exec(register) ?? []
  const meaning = Object.hasOwn(meanings, name) ? meanings[name] : undefined
  return meaning === undefined ? null : `${meaning}${axis ? `, along ${axis}` : ''}`
}
