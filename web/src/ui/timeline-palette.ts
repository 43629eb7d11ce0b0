// The theme's colors for the timeline.

import type { Palette } from '../core/timeline-paint'

export function palette(element: Element): Palette {
  const style = getComputedStyle(element)
  const read = (name: string) => style.getPropertyValue(name).trim()
  return {
    text: read('--text'), soft: read('--soft'), line: read('--line'), panel: read('--panel'), accent: read('--accent'), good: read('--good'),
    bad: read('--bad'), warn: read('--warn'), neutral: read('--line-strong'), special: read('--syn-special'),
    classes: { integer: read('--class-integer'), float: read('--class-float'), memory: read('--class-memory'), control: read('--class-control'), together: read('--class-together') },
  }
}
