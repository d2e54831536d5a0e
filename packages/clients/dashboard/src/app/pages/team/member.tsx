import { Loader } from "@mantine/core"
import { getMember, listMemberSessions, revokeMemberSession } from "@sealway/sdk/api"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { teamTransport } from "../../api/transport.ts"
import { BackLink } from "../../components/back-link.tsx"
import { Fact, Facts } from "../../components/facts.tsx"
import { Page } from "../../components/page.tsx"
import { Problem } from "../../components/problem.tsx"
import { Time } from "../../components/time.tsx"
import { MEMBERS_KEY } from "./keys.ts"
import { SessionList } from "./session-list.tsx"

const route = getRouteApi("/team/members/$memberId")

/** A member, and where they are signed in. For owners. */
export function MemberPage() {
  const { memberId } = route.useParams()
  const member = useQuery({
    queryKey: [...MEMBERS_KEY, memberId],
    queryFn: ({ signal }) => getMember(teamTransport, { memberId }, { signal }),
  })
  return (
    <Page
      title={member.data === undefined ? "Member" : (member.data.email ?? member.data.name)}
      about={<BackLink to="/team/members">All members</BackLink>}
    >
      {member.isPending && <Loader aria-label="Loading the member" />}
      {member.error && <Problem error={member.error} onRetry={() => member.refetch()} />}
      {member.data && (
        <>
          <Facts label="Member">
            <Fact name="Name">{member.data.name}</Fact>
            <Fact name="Role">{member.data.role}</Fact>
            <Fact name="Since">
              <Time at={member.data.createdAt} />
            </Fact>
            <Fact name="Id">{member.data.id}</Fact>
          </Facts>
          <SessionList
            title="Sessions"
            queryKey={[...MEMBERS_KEY, memberId, "sessions"]}
            list={(signal) => listMemberSessions(teamTransport, { memberId }, { signal })}
            revoke={(sessionId) => revokeMemberSession(teamTransport, { memberId, sessionId })}
            empty="They are signed in nowhere."
          />
        </>
      )}
    </Page>
  )
}
