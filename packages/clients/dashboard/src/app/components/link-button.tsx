import { Button, type ButtonProps } from "@mantine/core"
import { createLink } from "@tanstack/react-router"
import type { AnchorHTMLAttributes, Ref } from "react"

interface AnchorButtonProps
  extends ButtonProps,
    Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps> {
  readonly ref?: Ref<HTMLAnchorElement>
}

/** A link that looks like a button, for what leads to another page. */
export const LinkButton = createLink((props: AnchorButtonProps) => <Button component="a" {...props} />)
