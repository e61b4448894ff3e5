// Writes the tables of docs/providers.md from the profiles.

/** One section per row, with a line for each of its cells. */
export function providersText({ PROFILES, ANYWHERE }, { writtenName }) {
  const rows = Object.entries(PROFILES).map(([name, profile]) => rowText(name, profile, writtenName))
  const anywhere = [
    '## Any provider',
    'Where no row says otherwise, the name of a model decides:',
    cellsText(ANYWHERE.facts, writtenName),
  ].join('\n\n')
  return [...rows, anywhere].join('\n\n')
}

function rowText(name, { kind, hosts = [], facts }, writtenName) {
  const at = hosts.length > 0 ? `, implied by ${hosts.map(host => `\`${host}\``).join(', ')}` : ''
  const cells = Object.keys(facts).length > 0 ? cellsText(facts, writtenName) : 'Nothing more is known of it.'
  return [`## ${name}`, `${kind === 'service' ? 'A service' : 'An engine'}${at}.`, cells].join('\n\n')
}

function cellsText(facts, writtenName) {
  const lines = Object.entries(facts).flatMap(([fact, cells]) =>
    cells.map(
      cell =>
        `| \`${writtenName(fact)}\` | ${valueText(fact, cell.is)} | ${modelsText(cell)} | ${cell.source.map(sourceText).join(', ')} |`,
    ),
  )
  return ['| fact | value | models | sources |', '|---|---|---|---|', ...lines].join('\n')
}

function valueText(fact, value) {
  if (fact === 'firstContentTimeout') return `\`${value / 1000}s\``
  return [value]
    .flat()
    .map(each => `\`${each}\``)
    .join(', ')
}

function modelsText({ models, but }) {
  if (!models && !but) return 'all'
  const listed = names => names.map(name => `\`${name}\``).join(', ')
  return `${models ? listed(models) : 'all'}${but ? ` but ${listed(but)}` : ''}`
}

/** A URL, or an issue as `owner/repository#number`. */
function sourceText(source) {
  if (source.startsWith('https://')) return `<${source}>`
  const [repository, number] = source.split('#')
  return `[${source}](https://github.com/${repository}/issues/${number})`
}
