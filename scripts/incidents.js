// docs/incidents.md: one section per kind of incident, under the anchor that `runbook` links to.

/** Kinds that page somebody come first. */
export function incidentsText(kinds) {
  const all = Object.entries(kinds)
  const sorted = [
    ...all.filter(([, { severity }]) => severity === 'page'),
    ...all.filter(([, { severity }]) => severity !== 'page'),
  ]
  return sorted.map(([name, kind]) => sectionOf(name, kind)).join('\n\n')
}

const sectionOf = (name, { title, severity, effect, action, by = [] }) =>
  [
    `## ${name}`,
    `**${title}.** Severity \`${severity}\`.${by.length > 0 ? ` One for each ${by.map(field => `\`${field}\``).join(' and ')}.` : ''}`,
    `What clients notice: ${effect}`,
    `What to do: ${action}`,
  ].join('\n\n')
