import type { CardBrandName } from "@sealway/sdk/protocol"

/** The name and the colours of a brand's mark. They are our own drawings: a brand's logo is its own. */
const MARKS: Readonly<Record<CardBrandName, readonly [name: string, short: string, color: string]>> = {
  visa: ["Visa", "VISA", "#1a1f71"],
  mastercard: ["Mastercard", "MC", "#a3350b"],
  "american-express": ["American Express", "AMEX", "#016098"],
  discover: ["Discover", "DISC", "#8a4b08"],
  "diners-club": ["Diners Club", "DC", "#004a77"],
  jcb: ["JCB", "JCB", "#0b5132"],
  unionpay: ["UnionPay", "UP", "#a1121c"],
  maestro: ["Maestro", "MAES", "#6a1b6b"],
  dankort: ["Dankort", "DK", "#a1121c"],
  "cartes-bancaires": ["Cartes Bancaires", "CB", "#0b4a6f"],
}
const SVG = "http://www.w3.org/2000/svg"

/** Draws the mark of a brand, which screen readers read as its name; without a brand an empty card. */
export function drawBrandMark(document: Document, brand: CardBrandName | null): SVGElement {
  const [name, short, color] = brand === null ? ["", "", "none"] : MARKS[brand]
  const mark = element("svg", { viewBox: "0 0 40 26", class: "mark" })
  const shape = { x: "0.5", y: "0.5", width: "39", height: "25", rx: "4" }
  mark.append(element("rect", { ...shape, fill: color, stroke: "currentColor", "stroke-opacity": "0.4" }))
  if (brand === null) {
    mark.setAttribute("aria-hidden", "true")
    mark.append(element("path", { d: "M0.5 8h39", stroke: "currentColor", "stroke-opacity": "0.4" }))
    return mark
  }
  mark.setAttribute("role", "img")
  mark.setAttribute("aria-label", name)
  const text = {
    x: "20",
    y: "17",
    fill: "#fff",
    "text-anchor": "middle",
    "font-size": "11",
    "font-weight": "700",
  }
  const label = element("text", { ...text, "font-family": "system-ui, sans-serif" })
  label.textContent = short
  mark.append(label)
  return mark

  function element(tag: string, attributes: Readonly<Record<string, string>>): SVGElement {
    const created = document.createElementNS(SVG, tag) as SVGElement
    for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value)
    return created
  }
}
