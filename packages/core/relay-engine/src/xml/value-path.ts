import { ATTRIBUTE, DOCUMENT, NOTHING, type XmlDocument } from "./xml-document.ts"

const MAX_LENGTH = 1_024

/**
 * Returns the place of a value, for people and as a selector: `$['order']['item'][1]['@id']`. Includes a position if an
 * element has siblings with its name. Truncated at 1,024 characters, ending in `…`: names come from the body.
 */
export function valuePath(document: XmlDocument, value: number): string {
  const steps: string[] = []
  if (document.form(value) === ATTRIBUTE) {
    steps.push(`['@${document.names.get(document.attributeName(value)).qualified}']`)
  }
  for (let element = document.owner(value); element !== DOCUMENT; element = document.parent(element)) {
    steps.push(`['${document.names.get(document.name(element)).qualified}']${positionOf(document, element)}`)
  }
  const path = `$${steps.reverse().join("")}`
  return path.length > MAX_LENGTH ? `${path.slice(0, MAX_LENGTH)}…` : path
}

function positionOf(document: XmlDocument, element: number): string {
  let first = document.firstKind(document.parent(element))
  while (document.name(first) !== document.name(element)) first = document.nextKind(first)
  if (document.nextSame(first) === NOTHING) return ""
  let position = 0
  for (let other = first; other !== element; other = document.nextSame(other)) position++
  return `[${position}]`
}
