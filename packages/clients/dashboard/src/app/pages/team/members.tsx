import { Button, Stack, Text, Title } from "@mantine/core"
import {
  type Invitation,
  listInvitations,
  listMembers,
  type Member,
  revokeInvitation,
} from "@sealway/sdk/api"
import { useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { listSessions, revokeSession } from "../../api/session-operations.ts"
import { teamTransport } from "../../api/transport.ts"
import { ConfirmDialog } from "../../components/confirm-dialog.tsx"
import { Page } from "../../components/page.tsx"
import { PAGE_SIZE, PagedList } from "../../components/paged-list.tsx"
import { rowLinkClass } from "../../components/record-table.tsx"
import { Time } from "../../components/time.tsx"
import { useSession } from "../../session/session.tsx"
import { InviteDialog } from "./invite-dialog.tsx"
import { INVITATIONS_KEY, MEMBERS_KEY } from "./keys.ts"
import { MemberActions } from "./member-actions.tsx"
import { SessionList } from "./session-list.tsx"

const OWN_SESSIONS_KEY = ["team", "own-sessions"] as const

/** Who may sign in, who is invited, and where one is signed in oneself. */
export function Members() {
  const { member } = useSession()
  const mayChange = member.role === "owner"
  const [isInviting, setInviting] = useState(false)
  return (
    <Page
      title="Members"
      about="Who may sign in, and what their role permits. Nobody decrypts by being signed in."
      actions={mayChange && <Button onClick={() => setInviting(true)}>Invite somebody</Button>}
    >
      <InviteDialog isOpen={isInviting} onClose={() => setInviting(false)} />
      <PagedList<Member>
        label="Members"
        queryKey={MEMBERS_KEY}
        fetchPage={(after, signal) =>
          listMembers(teamTransport, { limit: PAGE_SIZE }, { signal }).page(after)
        }
        keyOf={({ id }) => id}
        columns={[
          {
            header: "Member",
            cell: ({ id, email, name }) => (
              <Text fw={600} component="span">
                {mayChange ? (
                  <Link className={rowLinkClass} to="/team/members/$memberId" params={{ memberId: id }}>
                    {email ?? name}
                  </Link>
                ) : (
                  (email ?? name)
                )}
                {id === member.id && " (you)"}
              </Text>
            ),
          },
          { header: "Role", cell: ({ role }) => role },
          { header: "Since", cell: ({ createdAt }) => <Time at={createdAt} /> },
          ...(mayChange
            ? [{ header: "Change", cell: (each: Member) => <MemberActions member={each} /> }]
            : []),
        ]}
        empty={<Text c="dimmed">There is no member yet.</Text>}
      />
      <Stack component="section" gap="sm" aria-labelledby="invitations">
        <Title order={2} size="h4" id="invitations">
          Invitations
        </Title>
        <PagedList<Invitation>
          label="Invitations"
          queryKey={INVITATIONS_KEY}
          fetchPage={(after, signal) =>
            listInvitations(teamTransport, { limit: PAGE_SIZE }, { signal }).page(after)
          }
          keyOf={({ id }) => id}
          columns={[
            { header: "E-mail address", cell: ({ email }) => email },
            { header: "Role", cell: ({ role }) => role },
            { header: "Ends", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
            ...(mayChange
              ? [{ header: "Change", cell: (each: Invitation) => <RevokeInvitation invitation={each} /> }]
              : []),
          ]}
          empty={<Text c="dimmed">Nobody is invited. Owners invite people by their e-mail address.</Text>}
        />
      </Stack>
      <SessionList
        title="Your sessions"
        queryKey={OWN_SESSIONS_KEY}
        list={(signal) => listSessions(teamTransport, {}, { signal })}
        revoke={(sessionId) => revokeSession(teamTransport, { sessionId })}
        empty="You have no session."
      />
    </Page>
  )
}

function RevokeInvitation({ invitation }: { readonly invitation: Invitation }) {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const revoke = async () => {
    await revokeInvitation(teamTransport, { invitationId: invitation.id })
    await client.invalidateQueries({ queryKey: INVITATIONS_KEY })
  }
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => setOpen(true)}
        aria-label={`Revoke the invitation of ${invitation.email}`}
      >
        Revoke
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Revoke the invitation?"
        action="Revoke"
        onConfirm={revoke}
      >
        <Text>{invitation.email} can no longer become a member with it. You can invite them again.</Text>
      </ConfirmDialog>
    </>
  )
}
