import { DIALECT_MEMBERS, type DialectMembers, REALTIME_MEMBERS } from '../policy/dialect-members.ts'
import { KNOWN_FIELDS } from '../policy/fields.ts'

const DIALECTS: readonly DialectMembers[] = [...Object.values(DIALECT_MEMBERS), REALTIME_MEMBERS]

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Members of chats below the top of the body. */
const OF_CHATS = words(`role content name type text tool_calls tool_call_id function_call refusal annotations audio
  reasoning reasoning_content reasoning_details thinking_blocks extra_content provider_specific_fields image_url url detail
  id function index arguments hosted description parameters strict json_schema schema include_usage enable_thinking`)

/** Members at the top of a body or an event. Clients choose the names below any other member. */
export const TOP_MEMBERS: ReadonlySet<string> = new Set([
  ...KNOWN_FIELDS.chat,
  ...KNOWN_FIELDS.embedding,
  ...KNOWN_FIELDS.image,
  ...DIALECTS.flatMap(({ top }) => [...top]),
])

const KNOWN: ReadonlySet<string> = new Set([
  ...TOP_MEMBERS,
  ...DIALECTS.flatMap(({ below }) => [...below]),
  ...OF_CHATS,
])

/**
 * Whether a name is a known one in different letters. Readers that ignore case (Go's encoding/json, ASP.NET's System.Text.Json)
 * or fold Unicode treat both as one member, and the last value wins.
 */
export function isMisspelt(name: string): boolean {
  const letters = lettersOf(name)
  if (letters === 'small') return false
  const meant = letters === 'ascii' ? name.toLowerCase() : folded(name)
  return meant !== name && KNOWN.has(meant)
}

/** The known name that a lenient reader would see in a misspelt one. */
export const folded = (name: string): string =>
  name.length > MOST_CHARACTERS
    ? name
    : name.normalize('NFKC').toUpperCase().toLowerCase().replaceAll(DOT_ABOVE, '').normalize('NFKC')

/** Longer than any known name in any spelling. */
const MOST_CHARACTERS = 128
/** The combining dot that a lowercased dotted capital I leaves. */
const DOT_ABOVE = '\u0307'

/** Most names consist of small letters, digits and caseless signs; folding any other name takes far longer. */
function lettersOf(name: string): 'small' | 'ascii' | 'other' {
  let letters: 'small' | 'ascii' = 'small'
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i)
    if (code > 0x7f) return 'other'
    if (code >= 0x41 && code <= 0x5a) letters = 'ascii'
  }
  return letters
}
