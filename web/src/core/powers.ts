// Powers in the engine's sentences, as people write them.

const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** `2^60` as 2⁶⁰, `2^-180` as 2⁻¹⁸⁰. */
export const raised = (words: string): string => words.replace(/(?<=\d)\^(-?)(\d+)/g, (_, sign: string, digits: string) => (sign ? '⁻' : '') + digits.replace(/\d/g, digit => RAISED[Number(digit)]!))
