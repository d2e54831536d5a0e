/** Returns a flat JSON object of so many fields, a card number each. */
export function documentOf(fields: number): string {
  const members = Array.from({ length: fields }, (_, index) => [`field${index}`, "4242424242424242"])
  return JSON.stringify(Object.fromEntries(members))
}
