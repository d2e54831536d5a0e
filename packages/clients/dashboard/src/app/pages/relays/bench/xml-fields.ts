import {
  MAX_FIELDS,
  normalizedPath,
  type SampleField,
  type SelectorChoice,
  type Step,
} from "./sample-fields.ts"

/** Reads the elements and attributes of an XML text; null when it is not well-formed. */
export function xmlFields(text: string): readonly SampleField[] | null {
  const document = new DOMParser().parseFromString(text, "application/xml")
  if (document.querySelector("parsererror") !== null) return null
  const fields: SampleField[] = []
  addElement(fields, document.documentElement, [], [])
  return fields
}

/**
 * @param above the way to the parent as the service names places, with positions where names repeat
 * @param names the way to the parent by names alone, which selects all elements on it
 */
function addElement(
  fields: SampleField[],
  element: Element,
  above: readonly Step[],
  names: readonly string[],
): void {
  if (fields.length >= MAX_FIELDS) return
  const siblings = [...(element.parentElement?.children ?? [])].filter(
    ({ tagName }) => tagName === element.tagName,
  )
  const position: readonly Step[] = siblings.length > 1 ? [siblings.indexOf(element)] : []
  const steps = [...above, element.tagName, ...position]
  const path = [...names, element.localName]
  const hasElements = element.children.length > 0
  fields.push({
    path: normalizedPath(steps),
    depth: names.length,
    name: element.tagName,
    value: hasElements ? null : (element.textContent ?? ""),
    choices: choicesOf(path),
  })
  for (const { name, localName, value } of element.attributes) {
    if (name === "xmlns" || name.startsWith("xmlns:")) continue
    fields.push({
      path: normalizedPath([...steps, `@${name}`]),
      depth: names.length + 1,
      name: `@${name}`,
      value,
      choices: choicesOf([...path, `@${localName}`]),
    })
  }
  for (const child of element.children) addElement(fields, child, steps, path)
}

/** Without a prefix, names find elements with any prefix. */
function choicesOf(names: readonly string[]): readonly SelectorChoice[] {
  const parts = names.map((name) => (/^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name}']`))
  const last = parts.at(-1) ?? ""
  const anywhere = last.startsWith(".") ? `$.${last}` : `$..${last}`
  return [
    { label: "Each one at this place", type: "xml", selector: `$${parts.join("")}` },
    ...(names.length > 1
      ? [{ label: "Every one with this name", type: "xml" as const, selector: anywhere }]
      : []),
  ]
}
