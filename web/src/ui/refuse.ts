// What somebody wrote and no spec can say stays where it stands, with the reason, until it is changed.

export function refuse(input: HTMLInputElement, reason: string): void {
  input.setCustomValidity(reason)
  input.reportValidity()
  input.addEventListener('input', () => input.setCustomValidity(''), { once: true })
}
