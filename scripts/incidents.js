// docs/incidents.md: a section for each kind of incident, by the name that `runbook` of an incident leads to.

/** Kinds that wake somebody first. */
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
