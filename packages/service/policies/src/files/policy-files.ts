import { jsonPointer } from "@sealway/kernel"
import * as z from "zod"
import { instantiateCedar } from "../cedar/cedar.ts"
import { createCedarSession } from "../cedar/cedar-session.ts"
import { contextInputSchema } from "../rules/context-input.ts"
import { MAX_POLICIES } from "../rules/data-policy.ts"
import { MAX_ROLES } from "../rules/data-role.ts"
import { maskSchema } from "../rules/mask-schema.ts"
import {
  accessLogSchema,
  descriptionSchema,
  nameSchema,
  type PolicyInput,
  policyInputSchema,
  slugSchema,
} from "../rules/policy-input.ts"
import { OUTCOMES } from "../rules/reveal.ts"
import { cedarProblem } from "./cedar-problem.ts"
import { proofInputSchema } from "./proof-input.ts"

/** A data role in a file. */
export const roleInputSchema = z.strictObject({
  slug: slugSchema,
  name: nameSchema,
  description: descriptionSchema.default(""),
  accessLog: accessLogSchema.default("standard"),
  mask: maskSchema.nullable().default(null),
})

export type RoleInput = z.infer<typeof roleInputSchema>

/** A file of roles and policies: `pci.yaml`. */
export const policyFileSchema = z.strictObject({
  roles: z.array(roleInputSchema).max(MAX_ROLES).default([]),
  policies: z.array(policyInputSchema).max(MAX_POLICIES).default([]),
})

export type PolicyFile = z.infer<typeof policyFileSchema>

/** The limits for one policy test file. */
const MAX_TESTS = 1_000
const MAX_PROOFS = 100

/** A file of tests and proofs of a role's policies: `pci.policy-test.yaml`. */
export const policyTestFileSchema = z
  .strictObject({
    role: slugSchema,
    /** Names of the policies to test. Default: all policies attached to the role. Proofs are always about all. */
    policies: z.array(nameSchema).max(MAX_POLICIES).optional(),
    tests: z
      .array(
        z.strictObject({
          name: nameSchema,
          context: contextInputSchema.prefault({}),
          expect: z.enum(OUTCOMES),
          /** Names of the policies that must decide, in any order. Default: any may. */
          decidedBy: z.array(nameSchema).max(MAX_POLICIES).optional(),
        }),
      )
      .min(1)
      .max(MAX_TESTS)
      .optional(),
    proofs: z.array(proofInputSchema).min(1).max(MAX_PROOFS).optional(),
  })
  .refine(({ tests, proofs }) => tests !== undefined || proofs !== undefined, {
    path: ["tests"],
    message: "Either tests or proofs are required",
  })

export type PolicyTestFile = z.infer<typeof policyTestFileSchema>

/** A problem in a file. */
export interface FileProblem {
  readonly file: string
  /** JSON Pointer into the file's document. */
  readonly pointer: string
  readonly reason: string
}

/** A parsed document and the name of the file that it came from. */
export interface FileDocument {
  readonly file: string
  readonly content: unknown
}

export type PolicyFilesResult =
  | { readonly ok: true; readonly roles: readonly RoleInput[]; readonly policies: readonly PolicyInput[] }
  | { readonly ok: false; readonly problems: readonly FileProblem[] }

/**
 * Reads files of roles and policies as one. Checks the fields of each, that no role or policy is defined twice
 * (policies are identified by name here), and, with Cedar itself, the policies in Cedar's language. A policy may be
 * attached to a role that no file defines.
 */
export function readPolicyFiles(documents: readonly FileDocument[]): PolicyFilesResult {
  const problems: FileProblem[] = []
  const cedarSession = createCedarSession(instantiateCedar)
  const roles = new Map<string, RoleInput>()
  const policies = new Map<string, PolicyInput>()
  for (const { file, content } of documents) {
    const read = readDocument(policyFileSchema, { file, content })
    if (!read.ok) {
      problems.push(...read.problems)
      continue
    }
    for (const [index, role] of read.value.roles.entries()) {
      if (roles.has(role.slug)) {
        problems.push({ file, pointer: `/roles/${index}/slug`, reason: "Another role has this slug" })
      }
      roles.set(role.slug, role)
    }
    for (const [index, policy] of read.value.policies.entries()) {
      if (policies.has(policy.name)) {
        problems.push({ file, pointer: `/policies/${index}/name`, reason: "Another policy has this name" })
      }
      policies.set(policy.name, policy)
      const reason = cedarProblem(cedarSession.cedar(), policy)
      if (reason !== null) problems.push({ file, pointer: `/policies/${index}/cedar`, reason })
    }
  }
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, roles: [...roles.values()], policies: [...policies.values()] }
}

export type DocumentResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly FileProblem[] }

/** Reads one document with a schema of this module. */
export function readDocument<Value>(
  schema: { safeParse(value: unknown): z.ZodSafeParseResult<Value> },
  { file, content }: FileDocument,
): DocumentResult<Value> {
  const result = schema.safeParse(content)
  if (result.success) return { ok: true, value: result.data }
  const problems = result.error.issues.map(({ path, message }) => ({
    file,
    pointer: jsonPointer(path),
    reason: message,
  }))
  return { ok: false, problems }
}
