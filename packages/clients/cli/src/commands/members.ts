import {
  createInvitation,
  createSignInLink,
  deleteMember,
  type Invitation,
  listInvitations,
  listMemberSessions,
  listMembers,
  type Member,
  revokeInvitation,
  type Session,
  type SignInLink,
  updateMember,
} from "@sealway/sdk/api"
import type { Command } from "commander"
import * as z from "zod"
import { addListOptions, listOptionsSchema, pageRequestOf, printList } from "../service/print-list.ts"
import { show, showRecord } from "../service/show.ts"
import { addResource } from "../session/add-resource.ts"
import {
  type CommandLine,
  defineAction,
  NO_ARGUMENTS,
  NO_OPTIONS,
  ONE_ARGUMENT,
} from "../session/define-action.ts"
import { addYesOption, askBefore, yesOptionSchema } from "../terminal/ask-before.ts"
import { formatJson, formatTime } from "../terminal/format.ts"
import type { Column } from "../terminal/output.ts"

const ROLES = ["owner", "admin", "developer", "auditor"] as const
const ROLES_HELP = "owner, admin, developer or auditor"
const roleSchema = z.enum(ROLES, `--role must be ${ROLES_HELP}`)

const MEMBER_COLUMNS: readonly Column<Member>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "email", value: ({ email }) => email ?? "" },
  { title: "name", value: ({ name }) => name },
  { title: "role", value: ({ role }) => role },
  { title: "since", value: ({ createdAt }) => formatTime(createdAt) },
]
const INVITATION_COLUMNS: readonly Column<Invitation>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "email", value: ({ email }) => email },
  { title: "role", value: ({ role }) => role },
  { title: "expires", value: ({ expiresAt }) => formatTime(expiresAt) },
]
const SESSION_COLUMNS: readonly Column<Session>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "since", value: ({ createdAt }) => formatTime(createdAt) },
  { title: "idle", value: ({ idleUntil }) => formatTime(idleUntil) },
  { title: "from", value: ({ ip }) => ip },
  { title: "browser", value: ({ userAgent }) => userAgent },
]
const LINK_COLUMNS: readonly Column<SignInLink>[] = [
  { title: "link", value: ({ url }) => url },
  { title: "expires", value: ({ expiresAt }) => formatTime(expiresAt) },
]

const inviteOptions = z
  .object({ role: roleSchema.optional(), owner: z.boolean().default(false) })
  .refine(({ role, owner }) => (role !== undefined) !== owner, "Pass either --role, or --owner")
const updateOptions = z.object({ role: roleSchema, ...yesOptionSchema.shape })

export function addMembersCommands(program: Command, line: CommandLine): void {
  const members = program
    .command("members")
    .helpCommand(false)
    .description("people who sign in, and their roles (team key)")

  addResource(members, line, {
    as: "team",
    columns: MEMBER_COLUMNS,
    id: ["id", "member id"],
    list: {
      about: "List the members.",
      filters: NO_OPTIONS,
      call: ({ service, page }) => listMembers(service, page),
    },
    delete: {
      about: "Remove a member. It ends their sessions within 10 seconds.",
      question: (id) => `Remove the member ${id}?`,
      call: ({ service, args: [memberId] }) => deleteMember(service, { memberId }),
      done: "Removed",
    },
  })

  defineAction(
    line,
    members
      .command("invite")
      .argument("<email>", "e-mail address")
      .description("Invite somebody. Nothing is sent: tell them to sign in within 7 days.")
      .option("--role <role>", ROLES_HELP)
      .option("--owner", "the same as --role owner"),
    { options: inviteOptions, arguments: ONE_ARGUMENT },
    async ({ asTeam, output }, { role = "owner" }, [email]) => {
      await showRecord(
        output,
        createInvitation(await asTeam(), { body: { email, role } }),
        INVITATION_COLUMNS,
      )
    },
  )

  defineAction(
    line,
    addListOptions(members.command("invitations").description("List the open invitations.")),
    { options: listOptionsSchema, arguments: NO_ARGUMENTS },
    async ({ asTeam, output }, options) => {
      const list = listInvitations(await asTeam(), pageRequestOf(options))
      await printList(output, options, INVITATION_COLUMNS, list)
    },
  )

  defineAction(
    line,
    members
      .command("revoke-invitation")
      .argument("<id>", "invitation id")
      .description("Revoke an invitation. It can no longer be accepted."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asTeam, output }, _, [id]) => {
      await revokeInvitation(await asTeam(), { invitationId: id })
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
        .requiredOption("--role <role>", ROLES_HELP),
    ),
    { options: updateOptions, arguments: ONE_ARGUMENT },
    async ({ asTeam, output, host }, options, [id]) => {
      await askBefore(host, options, `Give ${id} another role, and end their sessions?`)
      const updated = updateMember(await asTeam(), { memberId: id, body: { role: options.role } })
      await showRecord(output, updated, MEMBER_COLUMNS)
    },
  )

  defineAction(
    line,
    members
      .command("sessions")
      .argument("<id>", "member id")
      .description("List a member's sessions, at most 20."),
    { options: NO_OPTIONS, arguments: ONE_ARGUMENT },
    async ({ asTeam, output }, _, [memberId]) => {
      const { data } = await listMemberSessions(await asTeam(), { memberId })
      if (output.mode === "json") output.json(formatJson({ data, hasMore: false }))
      else if (output.mode === "quiet") for (const { id } of data) output.line(id)
      else output.rows(SESSION_COLUMNS, data)
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
    { options: NO_OPTIONS, arguments: NO_ARGUMENTS },
    async ({ asTeam, output }) => {
      await show(output, createSignInLink(await asTeam()), LINK_COLUMNS, ({ url }) => url)
    },
  )
}
