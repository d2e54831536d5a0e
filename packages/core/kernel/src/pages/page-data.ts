/** Writes values for a page's script, as an element that browsers do not execute. No value can close the element. */
export function pageData(data: object): string {
  const json = JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  })
  return `<script type="application/json" id="data">${json}</script>`
}
