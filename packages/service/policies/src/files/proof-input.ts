import * as z from "zod"
import type { Cedar } from "../cedar/cedar.ts"
import { type Conditions, conditionsSchema } from "../rules/conditions.ts"
import { MAX_POLICY_BYTES } from "../rules/data-policy.ts"
import { nameSchema, slugSchema } from "../rules/policy-input.ts"
import { cedarProblem } from "./cedar-problem.ts"

/** Some of all requests for plaintext: those for which conditions hold, or a policy in Cedar applies. */
export type Region = { readonly conditions: Conditions } | { readonly cedar: string }

/** The conditions of a policy, except budgets, which count; or a policy in Cedar. */
const fields = () =>
  conditionsSchema
    .unwrap()
    .omit({ budget: true })
    .extend({ cedar: z.string().min(1).max(MAX_POLICY_BYTES).optional() })

const BOTH = { path: ["cedar"], message: "Requests are described by conditions or by cedar, not by both" }

const regionOf = ({ cedar, ...conditions }: z.infer<ReturnType<typeof fields>>): Region =>
  cedar === undefined ? { conditions } : { cedar }

const isOfOneKind = ({ cedar, ...conditions }: z.infer<ReturnType<typeof fields>>) =>
  cedar === undefined || Object.keys(conditions).length === 0

const regionSchema = z.lazy(() => fields().refine(isOfOneKind, BOTH).transform(regionOf))

/** The role of a property. Default: that of its file. */
const ofRole = { role: slugSchema.optional() }

/** `{role: pci, sources: [api]}`: a role and a region. */
const statementSchema = z.lazy(() =>
  fields()
    .extend(ofRole)
    .refine(({ role: _role, ...region }) => isOfOneKind(region), BOTH)
    .transform(({ role, ...region }) => ({ role, region: regionOf(region) })),
)

const impliesSchema = z.strictObject({ ...ofRole, when: regionSchema, only: regionSchema })

const KINDS = ["never", "only", "always", "implies"] as const

/** What must hold for all requests, in a file. */
export const proofInputSchema = z
  .strictObject({
    /** Default: what it says. */
    name: nameSchema.optional(),
    /** No such request is permitted. */
    never: statementSchema.optional(),
    /** Only such requests are permitted. */
    only: statementSchema.optional(),
    /** Every such request is permitted. */
    always: statementSchema.optional(),
    /** Of the requests of one kind, only those of another are permitted. */
    implies: impliesSchema.optional(),
  })
  .refine((proof) => KINDS.filter((kind) => proof[kind] !== undefined).length === 1, {
    message: "A proof needs exactly one of never, only, always and implies",
  })

export type ProofInput = z.infer<typeof proofInputSchema>

/** What must hold for all requests for plaintext of a role. */
export type Property =
  | { readonly kind: "never" | "only" | "always"; readonly region: Region }
  | { readonly kind: "implies"; readonly when: Region; readonly only: Region }

/** A property of a file, with its role and name. */
export interface NamedProperty {
  readonly name: string
  readonly role: string
  readonly property: Property
}

/** @param role that of the file */
export function namedProperty(input: ProofInput, role: string): NamedProperty {
  const { never, only, always, implies } = input
  const name = input.name ?? nameOf(input)
  if (implies) {
    const { when, only: within } = implies
    return { name, role: implies.role ?? role, property: { kind: "implies", when, only: within } }
  }
  const kind = never ? "never" : only ? "only" : "always"
  const statement = never ?? only ?? always
  if (statement === undefined) throw new TypeError("The proof says nothing")
  return { name, role: statement.role ?? role, property: { kind, region: statement.region } }
}

/** Says what is wrong with the regions of a property in Cedar; null for nothing. */
export function regionProblem(cedar: Cedar, { property }: NamedProperty): string | null {
  const regions = property.kind === "implies" ? [property.when, property.only] : [property.region]
  for (const region of regions) {
    const problem = "cedar" in region ? cedarProblem(cedar, { cedar: region.cedar, effect: "permit" }) : null
    if (problem !== null) return problem
  }
  return null
}

/** A property without a name is called what it says, as in its file. */
function nameOf({ name: _name, ...said }: ProofInput): string {
  return spelled(said).slice(0, MAX_NAME)
}

function spelled(value: unknown): string {
  if (Array.isArray(value)) return value.map(spelled).join(", ")
  if (typeof value !== "object" || value === null) return String(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return members
    .map(([name, member]) => (STRUCTURE.has(name) ? spelled(member) : `${name} ${spelled(member)}`))
    .join("; ")
}

const MAX_NAME = 100
/** Parts of the parsed form that no file has. */
const STRUCTURE: ReadonlySet<string> = new Set(["region", "conditions"])
