import { headerOf, type RawHeaders, type Task } from "@sealway/kernel"
import {
  type ContentType,
  compareWithCommonDialect,
  formatOf,
  InvalidContentTypeError,
  locateBody,
  MESSAGE_LIMITS,
  type Message,
  messageProblem,
  type Operations,
  operationsOf,
  parseContentType,
  type ReadBody,
  RelayError,
  UnreadableBodyError,
} from "@sealway/relay-engine"
import { bodyMemoryOf } from "./body-memory-of.ts"

/** Per selection. */
const MAX_PLACES = 20
const MAX_PATH_CHARACTERS = 300

/** What to show people about a body. */
export interface SelectedPlaces {
  /** The first places of the values that a selection selects, by the index of its operation. */
  readonly paths: ReadonlyMap<number, readonly string[]>
  /** JSON selectors that select other values in the dialect of jsonpath-plus. */
  readonly ambiguousSelectors: ReadonlySet<string>
}

const NOWHERE: SelectedPlaces = { paths: new Map(), ambiguousSelectors: new Set() }

/**
 * Parses a body separately from its processing, to name places. An unreadable body has none: the trial itself says why.
 */
export async function selectedPlaces(
  { direction, rawHeaders, body }: Message & { readonly body: Buffer | null },
  operations: Operations,
  task: Task,
): Promise<SelectedPlaces> {
  const contentType = typeOf(rawHeaders)
  const format = formatOf(contentType)
  if (body === null || body.length === 0 || contentType === null || format === "other") return NOWHERE
  try {
    const raw = { rawHeaders, bytes: body, format, contentType }
    // A body with ambiguous names is included: the trial itself says that it is refused.
    const options = {
      maxBytes: MESSAGE_LIMITS.maxBodyBytes,
      caseSensitiveNames: true,
      memory: await bodyMemoryOf(task, { rawHeaders }),
    }
    const read = await task.run(locateBody(raw, operations, options))
    const paths = pathsOf(read)
    return { paths, ambiguousSelectors: format === "json" ? ambiguousOf(read, operations) : new Set() }
  } catch (error) {
    if (messageProblem(direction, error) instanceof RelayError) return NOWHERE
    throw error
  }
}

function typeOf(rawHeaders: RawHeaders): ContentType | null {
  try {
    return parseContentType(headerOf(rawHeaders, "content-type"))
  } catch (error) {
    if (error instanceof InvalidContentTypeError) return null
    throw error
  }
}

function pathsOf({ located, group }: ReadBody): ReadonlyMap<number, readonly string[]> {
  const paths = new Map<number, string[]>()
  for (const value of located.selected) {
    const wanting = operationsOf(group, value.selectors).filter(
      ({ index }) => (paths.get(index)?.length ?? 0) < MAX_PLACES,
    )
    if (wanting.length === 0) continue
    const path = located.path(value).slice(0, MAX_PATH_CHARACTERS)
    for (const { index } of wanting) paths.set(index, [...(paths.get(index) ?? []), path])
  }
  return paths
}

function ambiguousOf({ bytes }: ReadBody, { json }: Operations): ReadonlySet<string> {
  const different = json.selectors.filter((path) => {
    try {
      return compareWithCommonDialect(path, bytes) === "different"
    } catch (error) {
      if (error instanceof UnreadableBodyError) return false
      throw error
    }
  })
  return new Set(different.map(({ selector }) => selector))
}
