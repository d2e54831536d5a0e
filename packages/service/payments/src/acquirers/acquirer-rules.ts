import { countrySchema } from "@sealway/bins"
import { InvalidRequestError, ONE_LINE, ONE_LINE_RULE } from "@sealway/kernel"
import * as z from "zod"
import { acquirerNetworkSchema } from "../networks/messages/enrolment.ts"
import type { AcquirerConfiguration, AcquirerDetails } from "./acquirer.ts"
import { acquirerStateSchema } from "./show-acquirer.ts"

const nameSchema = z.string().min(1).max(100).regex(ONE_LINE, ONE_LINE_RULE)
const descriptionSchema = z.string().max(500).regex(ONE_LINE, ONE_LINE_RULE)
const defaultSchema = z
  .boolean()
  .describe("Whether 3-D Secure sessions without an acquirer use this one. An app has one default")

const configurationSchema = z.strictObject({
  network: acquirerNetworkSchema,
  bin: z
    .string()
    .regex(/^[0-9]{6,11}$/, "6 to 11 digits are allowed")
    .describe("The acquirer's BIN: 6 to 11 digits"),
  acquirerMerchantIdentifier: z
    .string()
    .regex(/^[0-9A-Za-z ._/-]{1,35}$/, "1 to 35 letters, digits, spaces and ._/- are allowed")
    .describe("The acquirer's identifier of the merchant"),
  country: countrySchema,
  state: acquirerStateSchema
    .exactOptional()
    .describe("Read only: accepted, so that an answer can be sent back, and ignored"),
})

const isEachOnce = (configurations: readonly { readonly network: string }[]) =>
  new Set(configurations.map(({ network }) => network)).size === configurations.length
const TWICE = "A network is listed twice"
const MAX_CONFIGURATIONS = 4

export const acquirerInputSchema = z
  .strictObject({
    name: nameSchema,
    description: descriptionSchema.exactOptional(),
    default: defaultSchema.exactOptional(),
    configurations: z.array(configurationSchema).min(1).max(MAX_CONFIGURATIONS).refine(isEachOnce, TWICE),
  })
  .meta({ id: "AcquirerInput" })

export const acquirerChangesSchema = z
  .strictObject({
    name: nameSchema.exactOptional(),
    description: descriptionSchema.exactOptional(),
    default: defaultSchema.exactOptional(),
    configurations: z
      .array(
        configurationSchema.extend({
          bin: configurationSchema.shape.bin.exactOptional(),
          acquirerMerchantIdentifier: configurationSchema.shape.acquirerMerchantIdentifier.exactOptional(),
          country: configurationSchema.shape.country.exactOptional(),
        }),
      )
      .min(1)
      .max(MAX_CONFIGURATIONS)
      .refine(isEachOnce, TWICE)
      .describe(
        "Replaces the previous list. An entry for a network that is already configured may leave out fields that do not change",
      )
      .exactOptional(),
  })
  .refine((changes) => Object.keys(changes).length > 0, "At least one field is required")
  .meta({ id: "AcquirerChanges" })

/** Converts a request for a new acquirer to its stored details. */
export function detailsOf(input: z.infer<typeof acquirerInputSchema>): AcquirerDetails {
  const { name, description = null, configurations } = input
  return { name, description, configurations: configurations.map(({ state: _state, ...each }) => each) }
}

/**
 * Applies a request's changes to the details of an acquirer.
 *
 * @throws InvalidRequestError naming what an entry for a new network lacks
 */
export function changedDetails(
  details: AcquirerDetails,
  { name, description, configurations }: z.infer<typeof acquirerChangesSchema>,
): AcquirerDetails {
  const before = new Map(details.configurations.map((each) => [each.network, each]))
  return {
    name: name ?? details.name,
    description: description ?? details.description,
    configurations:
      configurations?.map((each, index) => completed({ ...before.get(each.network), ...each }, index)) ??
      details.configurations,
  }
}

function completed(
  configuration: Pick<AcquirerConfiguration, "network"> & Partial<AcquirerConfiguration>,
  index: number,
): AcquirerConfiguration {
  const { network, bin, acquirerMerchantIdentifier, country } = configuration
  if (bin !== undefined && acquirerMerchantIdentifier !== undefined && country !== undefined) {
    return { network, bin, acquirerMerchantIdentifier, country }
  }
  const missing = Object.entries({ bin, acquirerMerchantIdentifier, country })
    .filter(([, value]) => value === undefined)
    .map(([field]) => field)
  throw new InvalidRequestError("All fields are required for a network that is new to the acquirer.", {
    fields: missing.map((field) => ({
      pointer: `/configurations/${index}/${field}`,
      reason: "The field is required for a network that is new to the acquirer.",
    })),
  })
}
