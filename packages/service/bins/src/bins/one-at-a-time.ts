/**
 * Creates named lanes. Tasks in one lane run one after another, in order, regardless of errors in earlier ones. Lanes
 * do not wait for each other.
 */
export function createLanes() {
  /** The last task of each lane. */
  const lanes = new Map<string, Promise<unknown>>()
  return async <Result>(name: string, act: () => Promise<Result>): Promise<Result> => {
    const before = lanes.get(name)
    const own = before === undefined ? act() : before.then(act, act)
    lanes.set(name, own)
    try {
      return await own
    } finally {
      if (lanes.get(name) === own) lanes.delete(name)
    }
  }
}
