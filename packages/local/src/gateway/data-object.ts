const NO_PROPERTIES: object = Object.freeze(Object.create(null))

/**
 * An object for names that somebody else chose. It inherits nothing, so that `__proto__` and `constructor` are names
 * like any other. (V8 keeps it in fast mode, unlike one whose prototype is null itself.)
 */
export function createDataObject(): Record<string, string> {
  return Object.create(NO_PROPERTIES)
}
