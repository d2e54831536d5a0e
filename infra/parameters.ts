/** The parameter that tells a template in which bucket its functions' code is. */
export const ASSETS_BUCKET = "AssetsBucket"

interface Parameterised {
  readonly id: string
  readonly parameters: ReadonlyMap<string, { readonly isOptional: boolean }>
}

/**
 * Returns the values for those parameters that a stack's template declares. CloudFormation refuses a value for any
 * other.
 *
 * @throws Error naming a parameter without a default and a value
 */
export function parametersOf<Value>(
  { id, parameters }: Parameterised,
  values: ReadonlyMap<string, Value>,
): Record<string, Value> {
  const given: [string, Value][] = []
  for (const [name, { isOptional }] of parameters) {
    const value = values.get(name)
    if (value !== undefined) given.push([name, value])
    else if (!isOptional) {
      throw new Error(`The stack ${id} requires the parameter ${name}, which has no value.`)
    }
  }
  return Object.fromEntries(given)
}
