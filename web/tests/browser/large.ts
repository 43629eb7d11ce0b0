// A kernel whose timeline is large, and really simulated: 1,024 threads that pass shared memory
// around between barriers, in a loop.

import { encode } from '../../src/core/share'

/** About 160 events a round: 32 warps, each with two accesses, two barriers, stretches and waits. */
export function largeKernel(rounds: number): string {
  return `.version 8.0
.target sm_80
.address_size 64
.visible .entry ring(.param .u64 out)
.reqntid 1024, 1, 1
{
	.reg .pred %p<2>;
	.reg .b32 %r<12>;
	.reg .b64 %rd<4>;
	.shared .align 4 .b32 slots[1024];
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 2;
	mov.u32 %r3, slots;
	add.u32 %r4, %r3, %r2;
	add.u32 %r5, %r1, 33;
	and.b32 %r5, %r5, 1023;
	shl.b32 %r5, %r5, 2;
	add.u32 %r6, %r3, %r5;
	mov.u32 %r7, 0;
	mov.u32 %r8, %r1;
$round:
	st.shared.u32 [%r4], %r8;
	bar.sync 0;
	ld.shared.u32 %r9, [%r6];
	add.u32 %r8, %r9, 1;
	bar.sync 0;
	add.u32 %r7, %r7, 1;
	setp.lt.u32 %p1, %r7, ${rounds};
	@%p1 bra $round;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r8;
	ret;
}
`
}

export const linkTo = (optimized: string, spec = '', reference = ''): string => '#' + encode({ reference, optimized, spec, single: reference === '', verdict: null })
