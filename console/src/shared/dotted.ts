import type { ComponentChild, ComponentChildren } from 'preact'

/** Facts on one line, with a dot between them. */
export const dotted = (facts: readonly ComponentChild[]): ComponentChildren =>
  facts.flatMap((fact, at) => (at === 0 ? [fact] : [' · ', fact]))
