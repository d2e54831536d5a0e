const NO_PROPERTIES: object = Object.freeze(Object.create(null))

/**
 * Creates an object for names chosen by others. It inherits nothing, so `__proto__` and `constructor` are ordinary
 * names. (V8 keeps it in fast mode, unlike one whose own prototype is null.)
 */
export function createDataObject(): Record<string, string> {
  return Object.create(NO_PROPERTIES)
}
