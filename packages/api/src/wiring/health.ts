export function createDependencies(): null {
  return null
}
