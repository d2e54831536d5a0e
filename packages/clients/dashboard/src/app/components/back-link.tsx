import { Anchor, type AnchorProps } from "@mantine/core"
import { createLink } from "@tanstack/react-router"
import type { AnchorHTMLAttributes, Ref } from "react"

interface BackLinkProps
  extends AnchorProps,
    Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps> {
  readonly ref?: Ref<HTMLAnchorElement>
}

/** A link in the words of a page's `about`, such as one to the list that the page belongs to. */
export const BackLink = createLink((props: BackLinkProps) => <Anchor {...props} />)
