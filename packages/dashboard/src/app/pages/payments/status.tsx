import { Badge } from "@mantine/core"

const COLORS: Readonly<Record<string, string>> = {
  ...{ active: "green", success: "green", resolved: "green" },
  ...{ failed: "red", failure: "red", invalid: "red", blocked: "red", expired: "red" },
  ...{
    pending: "yellow",
    open: "yellow",
    suspended: "yellow",
    "action-required": "yellow",
    importing: "yellow",
  },
}

/** The status of a card, a network token, a session, an enrolment, an alert or a BIN table. */
export function Status({ status }: { readonly status: string }) {
  return (
    <Badge variant="light" tt="none" color={COLORS[status] ?? "gray"}>
      {status}
    </Badge>
  )
}
