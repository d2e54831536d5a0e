import type { Command } from "commander"
import type { CommandLine } from "../define-action.ts"

type AddCommands = (program: Command, line: CommandLine) => void

interface CommandGroup {
  /** What stands behind `sealway`. */
  readonly names: readonly string[]
  readonly load: () => Promise<AddCommands>
}

/** In the order in which the help lists them. */
const GROUPS: readonly CommandGroup[] = [
  {
    names: ["login", "logout", "whoami"],
    load: async () => (await import("./login.ts")).addLoginCommands,
  },
  { names: ["profiles"], load: async () => (await import("./profiles.ts")).addProfilesCommands },
  { names: ["encrypt"], load: async () => (await import("./encrypt.ts")).addEncryptCommand },
  { names: ["decrypt"], load: async () => (await import("./decrypt.ts")).addDecryptCommand },
  {
    names: ["fingerprint", "inspect"],
    load: async () => (await import("./fingerprint.ts")).addFingerprintCommands,
  },
  { names: ["rewrap"], load: async () => (await import("./rewrap.ts")).addRewrapCommand },
  { names: ["roles"], load: async () => (await import("./roles.ts")).addRolesCommands },
  { names: ["policies"], load: async () => (await import("./policies.ts")).addPoliciesCommands },
  { names: ["apps"], load: async () => (await import("./apps.ts")).addAppsCommands },
  { names: ["keys"], load: async () => (await import("./keys.ts")).addKeysCommands },
  { names: ["team-keys"], load: async () => (await import("./team-keys.ts")).addTeamKeysCommands },
  { names: ["functions"], load: async () => (await import("./functions.ts")).addFunctionsCommands },
  {
    names: ["client-tokens", "run-tokens"],
    load: async () => (await import("./frontend-tokens.ts")).addFrontendTokenCommands,
  },
  {
    names: ["callback-secret"],
    load: async () => (await import("./callback-secret.ts")).addCallbackSecretCommand,
  },
  { names: ["relays"], load: async () => (await import("./relays.ts")).addRelaysCommands },
  { names: ["webhooks"], load: async () => (await import("./webhooks.ts")).addWebhooksCommands },
  { names: ["audit"], load: async () => (await import("./audit.ts")).addAuditCommands },
  { names: ["access"], load: async () => (await import("./access.ts")).addAccessCommands },
  { names: ["data"], load: async () => (await import("./data.ts")).addDataCommands },
  { names: ["bootstrap"], load: async () => (await import("./bootstrap.ts")).addBootstrapCommand },
]

/**
 * Adds the command that is asked for; or every command, where that is not plain to see: for the help, and for a name that
 * is none, which the error compares with all others.
 *
 * @param args what stands after `sealway`
 */
export async function addCommands(
  program: Command,
  line: CommandLine,
  args: readonly string[],
): Promise<void> {
  if (args.length === 1 && args[0] === "--version") return
  const asked = GROUPS.find(({ names }) => names.includes(args[0] ?? ""))
  const added = await Promise.all((asked === undefined ? GROUPS : [asked]).map(({ load }) => load()))
  for (const add of added) add(program, line)
}
