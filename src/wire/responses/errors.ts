import { type ErrorWords, wordsOf } from '../errors/error-words.ts'
import { type DeniedAnswer, type ErrorForm, newerStatus, OPENAI_HEADERS, openaiBody } from '../errors/forms.ts'
import { sseEvent } from '../sse.ts'

/** How Responses write errors: the object of OpenAI, and an event of their own. */
export const responsesErrors: ErrorForm = {
  headers: OPENAI_HEADERS,
  status: newerStatus,
  body: of => openaiBody(of, responsesWords(of)),
  lastEvent: of => {
    const { message, param, code } = responsesWords(of)
    return `event: error\n${sseEvent(JSON.stringify({ type: 'error', code, message, param, sequence_number: 0 }))}`
  },
}

/** The prompt has another name here, and Codex waits as long as a text says in these words. */
function responsesWords({ denial, status, body }: DeniedAnswer): ErrorWords {
  const { message, param, ...words } = wordsOf(denial, status, body)
  return {
    ...words,
    message: message.replace(/\bRetry in (?=\d)/, 'Try again in '),
    param: param === 'messages' ? 'input' : param,
  }
}
