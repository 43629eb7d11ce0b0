// What somebody wrote and no spec can say stays where it stands, marked, until it is changed; nothing is asked meanwhile.

export function refuse(input: HTMLInputElement, reason: string): void {
  input.setCustomValidity(reason)
  input.reportValidity()
  input.addEventListener('input', () => input.setCustomValidity(''), { once: true })
}

/** Whether something of that is in sight; leads to it, with the reason. */
export const stillRefused = (): boolean => [...document.querySelectorAll<HTMLInputElement>('input:invalid')].some(input => input.checkVisibility() && !input.reportValidity())
