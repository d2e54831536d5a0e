interface Dependent {
  readonly id: string
  readonly dependencies: readonly string[]
}

/**
 * Sorts so that each thing comes after those that it depends on, and otherwise keeps its place.
 *
 * @throws Error naming the things that depend on each other in a circle, or a missing dependency
 */
export function inOrderOfDependency<Thing extends Dependent>(things: readonly Thing[]): readonly Thing[] {
  const byId = new Map(things.map((thing) => [thing.id, thing]))
  const ordered = new Set<Thing>()
  const visit = (id: string, path: readonly string[]): void => {
    const thing = byId.get(id)
    if (thing === undefined)
      throw new Error(`The stack ${path.at(-1)} depends on ${id}, which does not exist.`)
    if (ordered.has(thing)) return
    if (path.includes(id)) {
      const circle = [...path.slice(path.indexOf(id)), id]
      throw new Error(`Stacks depend on each other in a circle: ${circle.join(" → ")}.`)
    }
    for (const dependency of thing.dependencies) visit(dependency, [...path, id])
    ordered.add(thing)
  }
  for (const { id } of things) visit(id, [])
  return [...ordered]
}
