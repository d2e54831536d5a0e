/** What a field offers: a value, or a value with what people read, or several of them under a heading. */
export type Choice = string | { readonly value: string; readonly label: string }
export type ChoiceGroup = { readonly group: string; readonly items: readonly Choice[] }

/** Returns the value of the choice that a text spells, by its value or by its label, in any case; null if none does. */
export function choiceOf(text: string, data: readonly (Choice | ChoiceGroup)[]): string | null {
  const wanted = text.trim().toLowerCase()
  for (const each of data.flatMap((one) => (typeof one === "object" && "group" in one ? one.items : [one]))) {
    const { value, label } = typeof each === "string" ? { value: each, label: each } : each
    if ([value, label].some((spelled) => spelled.toLowerCase() === wanted)) return value
  }
  return null
}
