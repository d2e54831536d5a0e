import type { Endpoint } from "@sealway/http"
import type { MemberDependencies, OidcDependencies } from "../dependencies.ts"
import { createInvitation } from "./create-invitation.ts"
import { createSignInLink } from "./create-sign-in-link.ts"
import { finishOidcSignIn } from "./finish-oidc-sign-in.ts"
import { getSession } from "./get-session.ts"
import { listInvitations, revokeInvitation } from "./invitations.ts"
import { deleteMember, getMember, listMembers } from "./members.ts"
import { openSignInPage } from "./open-sign-in-page.ts"
import { renewSession } from "./renew-session.ts"
import { listMemberSessions, listSessions, revokeMemberSession, revokeSession } from "./sessions.ts"
import { signOut } from "./sign-out.ts"
import { startOidcSignIn } from "./start-oidc-sign-in.ts"
import { updateMember } from "./update-member.ts"
import { useSignInLink } from "./use-sign-in-link.ts"

export const memberEndpoints: readonly Endpoint<MemberDependencies>[] = [
  listMembers,
  getMember,
  updateMember,
  deleteMember,
  createInvitation,
  listInvitations,
  revokeInvitation,
  listMemberSessions,
  revokeMemberSession,
  getSession,
  renewSession,
  signOut,
  listSessions,
  revokeSession,
  createSignInLink,
  openSignInPage,
  useSignInLink,
]

/** Those that call an identity provider. They have dependencies of their own: the code for it is large. */
export const oidcEndpoints: readonly Endpoint<OidcDependencies>[] = [startOidcSignIn, finishOidcSignIn]
