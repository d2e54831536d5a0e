import type { Command } from "commander"
import type { CommandLine } from "../session/define-action.ts"

type AddCommands = (program: Command, line: CommandLine) => void

interface CommandGroup {
  /** The subcommands of `sealway`, with their summaries in the list of commands. */
  readonly commands: Readonly<Record<string, string>>
  readonly load: () => Promise<AddCommands>
}

/** In the order of the help. */
const GROUPS: readonly CommandGroup[] = [
  {
    commands: {
      login: "log in with a key and store it for later commands",
      logout: "remove the stored keys",
      whoami: "show the service, the app and whether the keys work",
    },
    load: async () => (await import("./login.ts")).addLoginCommands,
  },
  {
    commands: { profiles: "stored services and keys, selected with --profile or SEALWAY_PROFILE" },
    load: async () => (await import("./profiles.ts")).addProfilesCommands,
  },
  {
    commands: { encrypt: "encrypt JSON, a string, a file or a table" },
    load: async () => (await import("./encrypt.ts")).addEncryptCommand,
  },
  {
    commands: { decrypt: "decrypt JSON, a token, a file or a table" },
    load: async () => (await import("./decrypt.ts")).addDecryptCommand,
  },
  {
    commands: {
      fingerprint: "show a value's fingerprint and type without decrypting it",
      inspect: "alias of fingerprint, with another scope",
    },
    load: async () => (await import("./fingerprint.ts")).addFingerprintCommands,
  },
  {
    commands: { rewrap: "re-encrypt tokens, a file or a table with the newest key version" },
    load: async () => (await import("./rewrap.ts")).addRewrapCommand,
  },
  {
    commands: { roles: "data roles: the categories of data that policies apply to" },
    load: async () => (await import("./roles.ts")).addRolesCommands,
  },
  {
    commands: { policies: "data policies: who may decrypt the values of a role, where and when" },
    load: async () => (await import("./policies.ts")).addPoliciesCommands,
  },
  {
    commands: { formats: "formats: tokens that look like their values" },
    load: async () => (await import("./formats.ts")).addFormatsCommands,
  },
  {
    commands: { enclaves: "images of AWS Nitro Enclaves: measure and register them" },
    load: async () => (await import("./enclaves.ts")).addEnclavesCommands,
  },
  {
    commands: { honey: "honey tokens: nobody may decrypt them, and each attempt is reported" },
    load: async () => (await import("./honey.ts")).addHoneyCommands,
  },
  {
    commands: { files: "files of any size, sealed on their way" },
    load: async () => (await import("./files.ts")).addFilesCommands,
  },
  {
    commands: { subjects: "data subjects: people whose values can be erased everywhere at once" },
    load: async () => (await import("./subjects.ts")).addSubjectCommands,
  },
  {
    commands: { apps: "the team's apps and their encryption keys (team key)" },
    load: async () => (await import("./apps.ts")).addAppsCommands,
  },
  {
    commands: { keys: "API keys of the app in --app (team key)" },
    load: async () => (await import("./keys.ts")).addKeysCommands,
  },
  {
    commands: { "team-keys": "keys that manage the team (team key)" },
    load: async () => (await import("./team-keys.ts")).addTeamKeysCommands,
  },
  {
    commands: { members: "people who sign in, and their roles (team key)" },
    load: async () => (await import("./members.ts")).addMembersCommands,
  },
  {
    commands: { dashboard: "print a link that signs a browser in as owner (team key)" },
    load: async () => (await import("./members.ts")).addDashboardCommand,
  },
  {
    commands: { functions: "your code, called with decrypted values" },
    load: async () => (await import("./functions.ts")).addFunctionsCommands,
  },
  {
    commands: {
      "client-tokens": "tokens that let a frontend decrypt one document",
      "run-tokens": "tokens that let a frontend run a function once",
    },
    load: async () => (await import("./frontend-tokens.ts")).addFrontendTokenCommands,
  },
  {
    commands: { "callback-secret": "show the secret that signs callbacks and alerts" },
    load: async () => (await import("./callback-secret.ts")).addCallbackSecretCommand,
  },
  {
    commands: { relays: "proxies that encrypt and decrypt fields on the way to a destination" },
    load: async () => (await import("./relays.ts")).addRelaysCommands,
  },
  {
    commands: { payments: "BIN and PAR lookups, and card checks with the networks" },
    load: async () => (await import("./payments.ts")).addPaymentsCommands,
  },
  {
    commands: { bins: "tables of BIN data for lookups (team key)" },
    load: async () => (await import("./bins.ts")).addBinsCommands,
  },
  {
    commands: { merchants: "businesses that take payments, and their enrolment with the card networks" },
    load: async () => (await import("./merchants.ts")).addMerchantsCommands,
  },
  {
    commands: { acquirers: "merchants' banks and their enrolment with the card networks" },
    load: async () => (await import("./acquirers.ts")).addAcquirersCommands,
  },
  {
    commands: { "network-tokens": "card numbers that work at one merchant only, and their cryptograms" },
    load: async () => (await import("./network-tokens.ts")).addNetworkTokensCommands,
  },
  {
    commands: { cards: "cards that the networks keep up to date" },
    load: async () => (await import("./cards.ts")).addCardsCommands,
  },
  {
    commands: { "account-updater": "cards whose changes the networks push in real time" },
    load: async () => (await import("./account-updater.ts")).addAccountUpdaterCommands,
  },
  {
    commands: { "3ds-sessions": "authenticate cardholders with 3-D Secure" },
    load: async () => (await import("./3ds-sessions.ts")).add3dsSessionsCommands,
  },
  {
    commands: { "retry-enrolments": "enrolments that tell merchants when to retry declined payments" },
    load: async () => (await import("./retry-enrolments.ts")).addRetryEnrolmentsCommands,
  },
  {
    commands: {
      "retry-watches": "cards of declined payments that networks watch for the right time to retry",
    },
    load: async () => (await import("./retry-watches.ts")).addRetryWatchesCommands,
  },
  {
    commands: { "pre-chargeback-alerts": "disputes that can be answered before they become chargebacks" },
    load: async () => (await import("./pre-chargeback-alerts.ts")).addPreChargebackAlertsCommands,
  },
  {
    commands: { connectors: "connection of the app in --app to the card networks (team key)" },
    load: async () => (await import("./connectors.ts")).addConnectorsCommands,
  },
  {
    commands: { webhooks: "URLs that receive events, and the events" },
    load: async () => (await import("./webhooks.ts")).addWebhooksCommands,
  },
  {
    commands: { audit: "the team's audit log (team key)" },
    load: async () => (await import("./audit.ts")).addAuditCommands,
  },
  {
    commands: { access: "the app's access log: who decrypted how many values, and when" },
    load: async () => (await import("./access.ts")).addAccessCommands,
  },
  {
    commands: { stats: "the app's figures by time: values, requests, refusals, latencies" },
    load: async () => (await import("./stats.ts")).addStatsCommand,
  },
  {
    commands: { data: "the data folder of `npm start`" },
    load: async () => (await import("./data.ts")).addDataCommands,
  },
  {
    commands: { bootstrap: "create the first team, apps and keys of a deployment" },
    load: async () => (await import("./bootstrap.ts")).addBootstrapCommand,
  },
  {
    commands: { completion: "complete commands in your shell" },
    load: async () => (await import("./completion.ts")).createCompletionCommand(addAll),
  },
]

/**
 * Adds the requested command; or only the names of all, for the list of commands; or every command when the request is
 * unclear, such as an unknown name, which the error compares with all others.
 *
 * @param args the arguments after `sealway`
 */
export async function addCommands(
  program: Command,
  line: CommandLine,
  args: readonly string[],
): Promise<void> {
  if (args.length === 1 && args[0] === "--version") return
  if (args.length === 0 || (args.length === 1 && ["--help", "-h"].includes(args[0] ?? ""))) {
    for (const { commands } of GROUPS) {
      for (const [name, summary] of Object.entries(commands)) program.command(name).description(summary)
    }
    return
  }
  const asked = GROUPS.find(({ commands }) => Object.hasOwn(commands, args[0] ?? ""))
  await (asked === undefined ? addAll(program, line) : addGroups([asked], program, line))
}

function addAll(program: Command, line: CommandLine): Promise<void> {
  return addGroups(GROUPS, program, line)
}

async function addGroups(
  groups: readonly CommandGroup[],
  program: Command,
  line: CommandLine,
): Promise<void> {
  const added = await Promise.all(groups.map(({ load }) => load()))
  for (const add of added) add(program, line)
}
