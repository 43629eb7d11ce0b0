// Formulas from the engine as elements. They come as MathML text in which names from the user's
// texts stand; so it is parsed as XML, never as HTML, and only MathML's own elements are taken
// over, with no attribute but those listed.

const MATHML = 'http://www.w3.org/1998/Math/MathML'
const ELEMENTS = new Set(['math', 'mrow', 'mi', 'mn', 'mo', 'mtext', 'mfrac', 'msup', 'msub', 'msubsup', 'msqrt', 'mroot', 'munderover', 'munder', 'mover', 'mtable', 'mtr', 'mtd', 'mspace', 'mfenced', 'mstyle'])
const ATTRIBUTES: Record<string, RegExp> = { display: /^(block|inline)$/, class: /^marked$/, stretchy: /^(true|false)$/ }

/** The formula as an element of this document; null for what is no MathML. */
export function formula(text: string): Element | null {
  const parsed = new DOMParser().parseFromString(text, 'application/xml')
  const root = parsed.documentElement
  return root.nodeName === 'math' && parsed.getElementsByTagName('parsererror').length === 0 ? rebuilt(root) : null
}

function rebuilt(from: Element): Element | null {
  if (!ELEMENTS.has(from.nodeName)) return null
  const made = document.createElementNS(MATHML, from.nodeName)
  for (const { name, value } of from.attributes) if (ATTRIBUTES[name]?.test(value)) made.setAttribute(name, value)
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) made.append(from.nodeName === 'mtext' ? (child.textContent ?? '').replace(/^ | $/g, '\u00a0') : (child.textContent ?? ''))
    else if (child instanceof Element) {
      const inner = rebuilt(child)
      if (inner) made.append(inner)
    }
  }
  if (made.nodeName === 'mo' && FENCE.test(made.textContent ?? '') && !from.parentElement?.querySelector(TALL)) made.setAttribute('stretchy', 'false')
  return made
}

const FENCE = /^[()[\]|]$/
/** What is higher than a line. Around anything else, browsers would draw fences that grow with their depth, in pieces. */
const TALL = 'mfrac, msqrt, mroot, munder, mover, munderover, mtable'
