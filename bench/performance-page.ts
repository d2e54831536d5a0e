/**
 * Puts a benchmark's results into a page, under a heading and between the lines `<!-- results of NAME -->` and `<!--
 * end of NAME -->`. Appends them when the page does not have these lines yet.
 */
export function insertResults(page: string, name: string, results: string): string {
  const start = `<!-- results of ${name} -->`
  const end = `<!-- end of ${name} -->`
  const section = `${start}\n\n## ${name}\n\n${results}\n\n${end}`
  const from = page.indexOf(start)
  const to = page.indexOf(end, from)
  if (from === -1 || to === -1) return `${page.trimEnd()}\n\n${section}\n`
  return page.slice(0, from) + section + page.slice(to + end.length)
}
