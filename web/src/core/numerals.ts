// Numbers in the engine's sentences, as people write them.

const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** `2^60` as 2⁶⁰, `2^-180` as 2⁻¹⁸⁰. */
const raised = (words: string): string => words.replace(/(?<=\d)\^(-?)(\d+)/g, (_, sign: string, digits: string) => (sign ? '⁻' : '') + digits.replace(/\d/g, digit => RAISED[Number(digit)]!))

/** `1048576 terms` as 1,048,576 terms; numbers that count nothing, such as places, stay. */
const grouped = (words: string): string => words.replace(/(?<![\w.,^-])\d{5,}(?= (?:terms|elements|threads|thread-instructions|instructions|bytes|words|accesses|values|combinations|steps|events|CTAs)\b)/g, digits => Number(digits).toLocaleString('en'))

export const numerals = (words: string): string => grouped(raised(words))
