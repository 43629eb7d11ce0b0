// The engine counts bytes of UTF-8, editors count UTF-16 units.

const encoder = new TextEncoder()

/** The UTF-16 offset that a byte offset of the same text falls on. */
export function utf16Offset(text: string, byte: number): number {
  if (/^[\x00-\x7f]*$/.test(text)) return Math.min(byte, text.length)
  let low = 0
  let high = text.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (encoder.encode(text.slice(0, middle)).length < byte) low = middle + 1
    else high = middle
  }
  return low
}
