import type { Command } from "commander"
import * as z from "zod"
import { jsonBody } from "../service/json-body.ts"
import { addListOptions, listOptionsSchema, printList } from "../service/list-pages.ts"
import { showAnswer, showReply } from "../service/show-answer.ts"
import { type CommandLine, defineAction, NO_ARGUMENTS, ONE_ARGUMENT } from "../session/define-action.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const MEMBERS = ["members"]
const INVITATIONS = ["invitations"]
const ROLES = "owner, admin, developer or auditor"

const memberSchema = z.object({
  id: z.string(),
  email: z.string().nullish(),
  name: z.string(),
  role: z.string(),
  createdAt: z.number(),
})
const invitationSchema = z.object({
  id: z.string(),
  email: z.string(),
  role: z.string(),
  expiresAt: z.number(),
})
const sessionSchema = z.object({
  id: z.string(),
  createdAt: z.number(),
  idleUntil: z.number(),
  ip: z.string(),
  userAgent: z.string(),
})
const linkSchema = z.object({ url: z.string(), expiresAt: z.number() })

const MEMBER_COLUMNS: readonly Column<z.infer<typeof memberSchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "email", value: ({ email }) => email ?? "" },
  { title: "name", value: ({ name }) => name },
  { title: "role", value: ({ role }) => role },
  { title: "since", value: ({ createdAt }) => formatTime(createdAt) },
]
const INVITATION_COLUMNS: readonly Column<z.infer<typeof invitationSchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "email", value: ({ email }) => email },
  { title: "role", value: ({ role }) => role },
  { title: "expires", value: ({ expiresAt }) => formatTime(expiresAt) },
]
const SESSION_COLUMNS: readonly Column<z.infer<typeof sessionSchema>>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "since", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "idle", value: ({ idleUntil }) => formatTime(idleUntil) },
  { title: "from", value: ({ ip }) => ip },
  { title: "browser", value: ({ userAgent }) => userAgent },
]
const LINK_COLUMNS: readonly Column<z.infer<typeof linkSchema>>[] = [
  { title: "link", value: ({ url }) => url },
  { title: "expires", value: ({ expiresAt }) => formatTime(expiresAt) },
]

const inviteOptions = z
  .object({ role: z.string().optional(), owner: z.boolean().default(false) })
  .refine(({ role, owner }) => (role !== undefined) !== owner, "Pass either --role, or --owner")
const updateOptions = z.object({ role: z.string(), ...yesOptionSchema.shape })

export function addMembersCommands(program: Command, line: CommandLine): void {
  const members = program
    .command("members")
    .helpCommand(false)
    .description("people who sign in, and their roles (team key)")

  defineAction(
    line,
    addListOptions(members.command("list").description("List the members.")),
    { options: listOptionsSchema, arguments: NO_ARGUMENTS },
    async ({ asTeam, output }, options) => {
      await printList(await asTeam(), output, { path: MEMBERS }, options, memberSchema, MEMBER_COLUMNS)
    },
  )

  defineAction(
    line,
    members
      .command("invite")
      .argument("<email>", "e-mail address")
      .description("Invite somebody. Nothing is sent: tell them to sign in within 7 days.")
      .option("--role <role>", ROLES)
      .option("--owner", "the same as --role owner"),
    { options: inviteOptions, arguments: ONE_ARGUMENT },
    async ({ asTeam, output }, { role = "owner" }, [email]) => {
      const call = { method: "POST", path: INVITATIONS, body: jsonBody({ email, role }) } as const
      await showAnswer(await asTeam(), output, call, invitationSchema, INVITATION_COLUMNS)
    },
  )

  defineAction(
    line,
    addListOptions(members.command("invitations").description("List the open invitations.")),
    { options: listOptionsSchema, arguments: NO_ARGUMENTS },
    async ({ asTeam, output }, options) => {
      const list = { path: INVITATIONS }
      await printList(await asTeam(), output, list, options, invitationSchema, INVITATION_COLUMNS)
    },
  )

  defineAction(
    line,
    members
      .command("revoke-invitation")
      .argument("<id>", "invitation id")
      .description("Revoke an invitation. It can no longer be accepted."),
    { options: z.object({}), arguments: ONE_ARGUMENT },
    async ({ asTeam, output }, _, [id]) => {
      const service = await asTeam()
      await service.send({ method: "DELETE", path: [...INVITATIONS, id] })
      output.note(`Revoked ${id}.`)
    },
  )

  defineAction(
    line,
    addYesOption(
      members
        .command("update")
        .argument("<id>", "member id")
        .description("Give a member another role. It ends their sessions within 10 seconds.")
        .requiredOption("--role <role>", ROLES),
    ),
    { options: updateOptions, arguments: ONE_ARGUMENT },
    async ({ asTeam, output, host }, options, [id]) => {
      await askBefore(host, options, `Give ${id} another role, and end their sessions?`)
      const call = {
        method: "PATCH",
        path: [...MEMBERS, id],
        body: jsonBody({ role: options.role }),
      } as const
      await showAnswer(await asTeam(), output, call, memberSchema, MEMBER_COLUMNS)
    },
  )

  defineAction(
    line,
    addYesOption(
      members
        .command("delete")
        .argument("<id>", "member id")
        .description("Remove a member. It ends their sessions within 10 seconds."),
    ),
    { options: yesOptionSchema, arguments: ONE_ARGUMENT },
    async ({ asTeam, output, host }, options, [id]) => {
      await askBefore(host, options, `Remove the member ${id}?`)
      const service = await asTeam()
      await service.send({ method: "DELETE", path: [...MEMBERS, id] })
      output.note(`Removed ${id}.`)
    },
  )

  defineAction(
    line,
    members
      .command("sessions")
      .argument("<id>", "member id")
      .description("List a member's sessions, at most 20."),
    { options: z.object({}), arguments: ONE_ARGUMENT },
    async ({ asTeam, output }, _, [id]) => {
      const list = { path: [...MEMBERS, id, "sessions"] }
      const options = listOptionsSchema.parse({ all: true })
      await printList(await asTeam(), output, list, options, sessionSchema, SESSION_COLUMNS)
    },
  )
}

export function addDashboardCommand(program: Command, line: CommandLine): void {
  defineAction(
    line,
    program
      .command("dashboard")
      .description("print a link that signs a browser in as owner (team key)")
      .addHelpText("after", "\nThe link works once, within 5 minutes, for a service on one machine."),
    { options: z.object({}), arguments: NO_ARGUMENTS },
    async ({ asTeam, output }) => {
      const call = { method: "POST", path: ["sign-in-links"] } as const
      await showReply(await asTeam(), output, call, linkSchema, LINK_COLUMNS, ({ url }) => url)
    },
  )
}
