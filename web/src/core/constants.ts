// What a PTX float literal says: its value, and the constant its author probably meant.

const named: [string, number][] = [
  ['log₂ e', Math.LOG2E],
  ['ln 2', Math.LN2],
  ['log₂ 10', Math.log2(10)],
  ['log₁₀ 2', Math.log10(2)],
  ['log₁₀ e', Math.LOG10E],
  ['ln 10', Math.LN10],
  ['e', Math.E],
  ['π', Math.PI],
  ['2π', 2 * Math.PI],
  ['π/2', Math.PI / 2],
  ['π/4', Math.PI / 4],
  ['1/π', 1 / Math.PI],
  ['2/π', 2 / Math.PI],
  ['√2', Math.SQRT2],
  ['1/√2', Math.SQRT1_2],
  ['√(2/π)', Math.sqrt(2 / Math.PI)],
  ['√π', Math.sqrt(Math.PI)],
  ['1/3', 1 / 3],
  ['1/√128', 1 / Math.sqrt(128)],
  ['1/√96', 1 / Math.sqrt(96)],
]

/** `0f3FB8AA3B` → `1.442695 ≈ log₂ e`; null for anything else. */
export function explainLiteral(literal: string): string | null {
  const match = /^0([fFdD])([0-9a-fA-F]+)$/.exec(literal)
  const double = match?.[1]?.toLowerCase() === 'd'
  if (!match || match[2]?.length !== (double ? 16 : 8)) return null
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, BigInt('0x' + match[2]) << (double ? 0n : 32n))
  const value = double ? view.getFloat64(0) : view.getFloat32(0)
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+∞' : '−∞'
  const ulp = Math.abs(value) * (double ? 2 ** -52 : 2 ** -23)
  const shown = String(Number(value.toPrecision(double ? 17 : 8))).replace('-', '−')
  const meant = named.find(([, constant]) => Math.abs(Math.abs(value) - constant) <= ulp)
  return meant ? `${shown} ≈ ${value < 0 ? '−' : ''}${meant[0]}` : shown
}
