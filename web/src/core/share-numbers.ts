// Register numbers and offsets as differences, so that the rounds of an unrolled loop look
// alike to deflate. A softmax pair shrinks to less than half.
//
//   number  = a decimal number without leading zeros after `%letters` or `+`, not followed by
//             a letter, digit, `_` or `.`
//   written = one control character for a difference of −12 … +15 to the number before of
//             the same letters (0 at first); any other number stays as it is
//
// FROZEN with version 1 of the link format.

const SYMBOLS = [...Array(32).keys()].filter(code => ![0, 9, 10, 13].includes(code)).map(code => String.fromCharCode(code))
const BELOW = 12

/** Whether a text can be written so: it must not use the control characters itself. */
export const canWrite = (text: string): boolean => !SYMBOLS.some(symbol => text.includes(symbol))

const canonical = (digits: string): boolean => digits === '0' || (!digits.startsWith('0') && digits.length < 16)

export function writeDifferences(text: string): string {
  const last = new Map<string, number>()
  return text.replace(/(%[a-z]+|\+)(\d+)(?![\w.])/g, (whole, kind: string, digits: string) => {
    if (!canonical(digits)) return whole
    const difference = Number(digits) - (last.get(kind) ?? 0)
    last.set(kind, Number(digits))
    const symbol = SYMBOLS[difference + BELOW]
    return symbol === undefined ? whole : kind + symbol
  })
}

export function readDifferences(text: string): string {
  const last = new Map<string, number>()
  return text.replace(/(%[a-z]+|\+)(?:(\d+)(?![\w.])|([\x01-\x08\x0b\x0c\x0e-\x1f]))/g, (whole, kind: string, digits: string | undefined, symbol: string | undefined) => {
    if (symbol === undefined) {
      if (digits !== undefined && canonical(digits)) last.set(kind, Number(digits))
      return whole
    }
    const number = (last.get(kind) ?? 0) + SYMBOLS.indexOf(symbol) - BELOW
    last.set(kind, number)
    return kind + String(number)
  })
}
