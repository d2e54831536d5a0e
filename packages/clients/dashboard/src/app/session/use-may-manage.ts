import { useSession } from "./session.tsx"

/** Whether the member may change an app as its team does: its keys and settings. The service decides; this spares refusals. */
export function useMayManage(environment: "sandbox" | "production"): boolean {
  const { role } = useSession().member
  return useMayManageTeam() || (role === "developer" && environment === "sandbox")
}

/** Whether the member may change the team, except its members and its keys. */
export function useMayManageTeam(): boolean {
  const { role } = useSession().member
  return role === "owner" || role === "admin"
}
