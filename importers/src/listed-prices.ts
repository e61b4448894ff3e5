// Generated from @pydantic/genai-prices (MIT) by scripts/prices.js. Do not edit.

/** Where the prices are from, and the day for which they were taken. */
export const SOURCE = { name: '@pydantic/genai-prices', version: '0.1.8', day: '2026-11-28' } as const

/** A model a line: provider, US dollars for a million tokens in, out, read from a cache and written to it, `+` where long prompts cost more, and the names that it has. */
export const LISTED = String.raw`
openai 0.4 0.4 - - - =ada =text-ada-001
openai 0.5 0.5 - - - =babbage
openai 5 15 - - - =chatgpt-4o-latest
openai 1.5 6 0.375 - - =codex-mini =codex-mini-latest
openai 3 12 - - - ^computer-use
openai 2 2 - - - =curie =text-curie-001
openai 20 20 - - - =davinci =text-davinci-001
openai 3 6 - - - ^ft:gpt-3.5-turbo
openai 3.75 15 - - - ^ft:gpt-4o-2024-
openai 0.3 1.2 - - - ^ft:gpt-4o-mini-2024-
openai 1.5 2 - - - =gpt-3.5-turbo-0301 =gpt-3.5-0301
openai 0.5 1.5 - - - =gpt-3.5-turbo =gpt-35-turbo =gpt-3.5-turbo-0125
openai 1.5 2 - - - =gpt-3.5-turbo-0613
openai 1 2 - - - =gpt-3.5-turbo-1106
openai 3 4 - - - =gpt-3.5-turbo-16k =gpt-3.5-turbo-16k-0613 =gpt-35-turbo-16k-0613 =gpt-35-turbo-16k
openai 1.5 2 - - - ^gpt-3.5-turbo-instruct =gpt-3.5-turbo-instruct-0914
openai 30 60 - - - =gpt-4 =gpt-4-0314 =gpt-4-0613 ^ft:gpt-4-0
openai 60 120 - - - =gpt-4-32k =gpt-4-32k-0314 =gpt-4-32k-0613
openai 10 30 - - - =gpt-4-turbo =gpt-4-turbo-2024-04-09 =gpt-4-turbo-0125-preview =gpt-4-0125-preview =gpt-4-1106-preview =gpt-4-turbo-preview
openai 10 30 - - - =gpt-4-vision-preview =gpt-4-1106-vision-preview
openai 2 8 0.5 - - =gpt-4.1 =gpt-4.1-2025-04-14
openai 0.4 1.6 0.1 - - =gpt-4.1-mini =gpt-4.1-mini-2025-04-14
openai 0.1 0.4 0.025 - - =gpt-4.1-nano =gpt-4.1-nano-2025-04-14
openai 75 150 37.5 - - ^gpt-4.5-preview
openai 2.5 10 1.25 - - =gpt-4o =gpt-4o-2024-08-06 =gpt-4o-2024-11-20
openai 5 15 - - - =gpt-4o-2024-05-13
openai 2.5 10 - - - ^gpt-4o-audio-preview
openai 0.15 0.6 0.075 - - =gpt-4o-mini =gpt-4o-mini-2024-07-18 =gpt-4o-mini-search-preview =gpt-4o-mini-search-preview-2025-03-11
openai 0.3 1.2 - - - ^gpt-4o-mini-2024-07-18.ft-
openai 0.15 0.6 - - - ^gpt-4o-mini-audio
openai 0.6 2.4 0.3 - - ^gpt-4o-mini-realtime
openai 1.25 5 - - - =gpt-4o-mini-transcribe
openai 0.6 12 - - - =gpt-4o-mini-tts
openai 5 20 2.5 - - ^gpt-4o-realtime
openai 2.5 10 - - - =gpt-4o-search-preview =gpt-4o-search-preview-2025-03-11
openai 2.5 10 - - - =gpt-4o-transcribe =gpt-4o-transcribe-diarize
openai 6 18 - - - =gpt-4o:extended
openai 1.25 10 0.125 - - =gpt-5 =gpt-5-2025-08-07 =gpt-5-chat =gpt-5-chat-latest =gpt-5-codex
openai 10 10 1.25 - - =gpt-5-image
openai 2.5 2 0.25 - - =gpt-5-image-mini
openai 0.25 2 0.025 - - =gpt-5-mini =gpt-5-mini-2025-08-07
openai 0.05 0.4 0.005 - - =gpt-5-nano ^gpt-5-nano-
openai 15 120 - - - =gpt-5-pro =gpt-5-pro-2025-10-06
openai 1.25 10 0.125 - - =gpt-5.1 =gpt-5.1-2025-11-13 =gpt-5.1-codex =gpt-5.1-codex-max =gpt-5.1-chat =gpt-5.1-chat-latest =gpt-5-1 =gpt-5-1-2025-11-13 =gpt-5-1-codex =gpt-5-1-codex-max =gpt-5-1-chat =gpt-5-1-chat-latest
openai 0.25 2 0.025 - - =gpt-5.1-codex-mini =gpt-5.1-mini =gpt-5-1-codex-mini =gpt-5-1-mini
openai 1.75 14 0.175 - - =gpt-5.2 =gpt-5.2-2025-12-11 =gpt-5-2 =gpt-5-2-2025-12-11 =gpt-5.2-chat =gpt-5.2-chat-latest =gpt-5-2-chat =gpt-5-2-chat-latest =gpt-5.2-codex =gpt-5-2-codex
openai 21 168 - - - =gpt-5.2-pro =gpt-5.2-pro-2025-12-11 =gpt-5-2-pro-2025-12-11
openai 1.75 14 0.175 - - =gpt-5.3 =gpt-5-3 =gpt-5.3-chat =gpt-5.3-chat-latest =gpt-5-3-chat =gpt-5-3-chat-latest
openai 1.75 14 0.175 - - =gpt-5.3-codex =gpt-5-3-codex
openai 2.5 15 0.25 - + =gpt-5.4 =gpt-5.4-2026-03-05 =gpt-5-4 =gpt-5-4-2026-03-05
openai 8 15 2 - - =gpt-5.4-image-2
openai 0.75 4.5 0.075 - - =gpt-5.4-mini =gpt-5.4-mini-2026-03-17 =gpt-5-4-mini =gpt-5-4-mini-2026-03-17
openai 0.2 1.25 0.02 - - =gpt-5.4-nano =gpt-5.4-nano-2026-03-17 =gpt-5-4-nano =gpt-5-4-nano-2026-03-17
openai 30 180 - - + =gpt-5.4-pro =gpt-5.4-pro-2026-03-05 =gpt-5-4-pro =gpt-5-4-pro-2026-03-05
openai 5 30 0.5 - + =gpt-5.5 =gpt-5.5-2026-04-23 =gpt-5.5-2026-04-24 =gpt-5-5 =gpt-5-5-2026-04-23 =gpt-5-5-2026-04-24 =gpt-5.5-chat =gpt-5.5-chat-latest =gpt-5-5-chat =gpt-5-5-chat-latest =gpt-5.5-codex =gpt-5-5-codex
openai 30 180 - - + =gpt-5.5-pro =gpt-5.5-pro-2026-04-23 =gpt-5-5-pro =gpt-5-5-pro-2026-04-23
openai 0.2 1.2 0.02 0.25 + =gpt-5.6-luna =gpt-5-6-luna /^gpt-5\.6-luna-\d{4}-\d{2}-\d{2}$ /^gpt-5-6-luna-\d{4}-\d{2}-\d{2}$
openai 4 20 0.4 5 + =gpt-5.6-sol =gpt-5-6-sol =gpt-5.6 =gpt-5-6 /^gpt-5\.6-sol-\d{4}-\d{2}-\d{2}$ /^gpt-5-6-sol-\d{4}-\d{2}-\d{2}$
openai 2 12 0.2 2.5 + =gpt-5.6-terra =gpt-5-6-terra /^gpt-5\.6-terra-\d{4}-\d{2}-\d{2}$ /^gpt-5-6-terra-\d{4}-\d{2}-\d{2}$
openai 10 50 1 12.5 + =gpt-6-astra /^gpt-6-astra-\d{4}-\d{2}-\d{2}$
openai 0.1 0.5 0.01 0.125 + =gpt-6-luna /^gpt-6-luna-\d{4}-\d{2}-\d{2}$
openai 2 10 0.2 2.5 + =gpt-6-sol /^gpt-6-sol-\d{4}-\d{2}-\d{2}$
openai 2.5 10 - - - =gpt-audio =gpt-audio-2025-08-28 =gpt-audio-1.5
openai 0.6 2.4 - - - =gpt-audio-mini =gpt-audio-mini-2025-10-06 =gpt-audio-mini-2025-12-15
openai 5 30 0.5 - - =gpt-chat-latest
openai 5 40 1.25 - - =gpt-image-1
openai 2 8 0.2 - - =gpt-image-1-mini
openai 5 10 1.25 - - =gpt-image-1.5 =gpt-image-1.5-2025-12-16
openai 5 30 1.25 - - =gpt-image-2 =gpt-image-2-2026-04-21
openai 0.039 0.18 - - - =gpt-oss-120b
openai 0.029 0.14 - - - =gpt-oss-20b
openai 0.075 0.3 0.037 - - =gpt-oss-safeguard-20b
openai 4 16 0.4 - - =gpt-realtime =gpt-realtime-2025-08-28 =gpt-realtime-1.5
openai 4 24 0.4 - - =gpt-realtime-2 =gpt-realtime-2.1
openai 0.6 2.4 0.06 - - =gpt-realtime-mini =gpt-realtime-2.1-mini =gpt-realtime-mini-2025-12-15 =gpt-realtime-mini-2025-10-06
openai 15 60 7.5 - - =o1 =o1-2024-12-17
openai 1.1 4.4 0.55 - - =o1-mini =o1-mini-2024-09-12
openai 15 60 7.5 - - =o1-preview =o1-preview-2024-09-12
openai 2 8 0.5 - - =o3 =o3-2025-04-16
openai 10 40 2.5 - - =o3-deep-research =o3-deep-research-2025-06-26
openai 1.1 4.4 0.55 - - =o3-mini =o3-mini-2025-01-31 =o3-mini-high
openai 20 80 - - - =o3-pro =o3-pro-2025-06-10
openai 1.1 4.4 0.275 - - =o4-mini-2025-04-16 =o4-mini-high =o4-mini
openai 2 8 0.5 - - =o4-mini-deep-research =o4-mini-deep-research-2025-06-26
openai 20 20 - - - =text-davinci-002
openai 20 20 - - - =text-davinci-003
openai 0.13 - - - - =text-embedding-3-large
openai 0.02 - - - - =text-embedding-3-small
openai 0.1 - - - - =text-embedding-ada =text-embedding-ada-002 =text-embedding-ada-002-v2
anthropic 8 24 - - - ^claude-2 *claude-v2
anthropic 0.8 4 0.08 1 - ^claude-3-5-haiku ^claude-3.5-haiku
anthropic 3 15 0.3 3.75 - ^claude-3-5-sonnet ^claude-3.5-sonnet
anthropic 3 15 0.3 3.75 - ^claude-3-7-sonnet ^claude-3.7-sonnet ^claude-sonnet-3.7 ^claude-sonnet-3-7
anthropic 0.25 1.25 0.03 0.3 - ^claude-3-haiku
anthropic 15 75 1.5 18.75 - ^claude-3-opus
anthropic 3 15 0.3 3.75 - ^claude-3-sonnet
anthropic 10 50 1 12.5 - =claude-fable-5 /^claude-fable-5-\d{8}$
anthropic 10 50 0.25 12.5 - =claude-fable-5-1 /^claude-fable-5-1-\d{8}$
anthropic 1 5 0.1 1.25 - ^claude-haiku-4-5 ^claude-haiku-4.5 ^claude-4-5-haiku ^claude-4.5-haiku
anthropic 15 75 1.5 18.75 - ^claude-opus-4-0 ^claude-4-opus =claude-opus-4 =claude-opus-4-20250514
anthropic 15 75 1.5 18.75 - ^claude-opus-4-1 ^claude-opus-4.1
anthropic 5 25 0.5 6.25 - ^claude-opus-4-5 ^claude-opus-4.5 ^claude-4-5-opus ^claude-4.5-opus
anthropic 5 25 0.5 6.25 - ^claude-opus-4-6 ^claude-opus-4.6 ^claude-4-6-opus ^claude-4.6-opus
anthropic 5 25 0.5 6.25 - ^claude-opus-4-7 ^claude-opus-4.7 ^claude-4-7-opus ^claude-4.7-opus
anthropic 5 25 0.5 6.25 - ^claude-opus-4-8 ^claude-opus-4.8 ^claude-4-8-opus ^claude-4.8-opus
anthropic 5 25 0.5 6.25 - =claude-opus-5 /^claude-opus-5-\d{8}$ ^claude-opus-5.0 ^claude-5-opus ^claude-5.0-opus
anthropic 4 20 0.2 5 - =claude-opus-5-5 /^claude-opus-5-5-\d{8}$ ^claude-opus-5.5 ^claude-5-5-opus ^claude-5.5-opus
anthropic 3 15 0.3 3.75 - ^claude-sonnet-4-2025 ^claude-sonnet-4-0 ^claude-sonnet-4@ =claude-sonnet-4 ^claude-4-sonnet
anthropic 3 15 0.3 3.75 + ^claude-sonnet-4-5 ^claude-sonnet-4.5
anthropic 3 15 0.3 3.75 - ^claude-sonnet-4-6 ^claude-sonnet-4.6
anthropic 2 10 0.2 2.5 - ^claude-sonnet-5 ^claude-sonnet-5.0 ^claude-5-sonnet ^claude-5.0-sonnet
anthropic 8 24 - - - =claude-v1
google 0.8 4 0.08 1 - *claude-3-5-haiku
google 3 15 0.3 3.75 - *claude-3-5-sonnet
google 3 15 0.3 3.75 - *claude-3-7-sonnet
google 0.25 1.25 0.03 0.3 - *claude-3-haiku
google 15 75 1.5 18.75 - *claude-3-opus
google 15 75 1.5 18.75 - *claude-4-opus *claude-opus-4@ *claude-opus-4-0 *claude-opus-4-1 =claude-opus-4
google 3 15 0.3 3.75 - *claude-4-sonnet *claude-sonnet-4-0 *claude-sonnet-4@ *claude-sonnet-4-2025 =claude-sonnet-4 =anthropic/claude-sonnet-4
google 10 50 1 12.5 - $claude-fable-5 *claude-fable-5@
google 10 50 0.25 12.5 - $claude-fable-5-1 *claude-fable-5-1@
google 5 25 0.5 6.25 + *claude-4-6-opus *claude-opus-4-6 *claude-4.6-opus *claude-opus-4.6
google 5 25 0.5 6.25 - *claude-4-7-opus *claude-opus-4-7 *claude-4.7-opus *claude-opus-4.7
google 5 25 0.5 6.25 - *claude-4-8-opus *claude-opus-4-8 *claude-4.8-opus *claude-opus-4.8
google 5 25 0.5 6.25 - *claude-5-opus $claude-opus-5 *claude-opus-5@ *claude-5.0-opus *claude-opus-5.0
google 4 20 0.2 5 - *claude-5-5-opus $claude-opus-5-5 *claude-opus-5-5@ *claude-5.5-opus *claude-opus-5.5
google 3 15 0.3 3.75 + *claude-sonnet-4-5 *claude-sonnet-4.5
google 3 15 0.3 3.75 - *claude-sonnet-4-6 *claude-sonnet-4.6
google 0.125 0.375 - - - =gemini-1.0-pro-vision-001
google 0.075 0.3 0.01875 - + *gemini-1.5-flash
google 1.25 5 - - + *gemini-1.5-pro
google 0.1 0.4 0.025 - - $gemini-2.0-flash *gemini-2.0-flash-0 *gemini-2.0-flash-exp *gemini-2.0-flash-thinking *gemini-2.0-flash-latest
google 0.075 0.3 - - - *gemini-2.0-flash-lite
google 0.3 2.5 0.03 - - =gemini-2.5-flash =gemini-2.5-flash-latest =gemini-2.5-flash-preview-09-2025
google 0.3 2.5 - - - =gemini-2.5-flash-image =gemini-2.5-flash-image-preview
google 0.1 0.4 0.01 - - =gemini-2.5-flash-lite /^(?=gemini-2\.5-flash-lite-preview)(?=(?!.*-[tT][tT][sS](?:$|-)))
google 0.5 10 - - - =gemini-2.5-flash-lite-preview-tts
google 0.15 0.6 - - - *gemini-2.5-flash-preview-05-20 *gemini-2.5-flash-preview-04-17 =gemini-2.5-flash-preview-05-20:thinking =gemini-2.5-flash-preview =gemini-2.5-flash-preview:thinking
google 0.5 10 - - - =gemini-2.5-flash-tts =gemini-2.5-flash-preview-tts
google 1.25 10 0.125 - + /^(?=gemini-2\.5-pro)(?=(?!.*-[tT][tT][sS](?:$|-)))
google 1 20 - - - =gemini-2.5-pro-tts =gemini-2.5-pro-preview-tts
google 0.5 3 0.05 - - =gemini-3-flash-preview ^gemini-3-flash-preview-
google 2 12 - - - =gemini-3-pro-image ^gemini-3-pro-image-preview
google 2 12 0.2 - + ^gemini-3-pro-preview =gemini-3-pro-text-preview
google 0.5 3 - - - =gemini-3.1-flash-image ^gemini-3.1-flash-image-preview
google 0.25 1.5 0.025 - - =gemini-3.1-flash-lite ^gemini-3.1-flash-lite-preview
google 0.25 1.5 - - - ^gemini-3.1-flash-lite-image
google 0.75 4.5 - - - ^gemini-3.1-flash-live-preview
google 2 12 0.2 - + ^gemini-3.1-pro-preview
google 1.5 9 0.15 - - =gemini-3.5-flash ^gemini-3.5-flash-preview /^gemini-3\.5-flash-\d
google 0.3 2.5 0.03 - - ^gemini-3.5-flash-lite
google 0.75 3.75 0.075 - - ^gemini-3.6-flash
google 0.75 3.75 0.075 - - ^gemini-3.7-flash
google 0.75 3.75 0.075 - - ^gemini-3.8-flash
google 0.15 - - - - =gemini-embedding-001
google 0.2 - - - - =gemini-embedding-2
google 0.075 0.3 0.01875 - + =gemini-flash-1.5
google 0.0375 0.15 0.01 - + =gemini-flash-1.5-8b
google 0.5 2 - - - ^gemini-live-2.5-flash ^gemini-2.5-flash-native-audio-preview =gemini-2.5-flash-native-audio-latest
google 1.5 9 - - - ^gemini-omni-flash-preview
google 0.125 0.375 - - - =gemini-pro =gemini-1.0-pro
google 1.25 5 0.3125 - + =gemini-pro-1.5
google 0.65 0.65 - - - =gemma-2-27b-it
google 0.15 0.6 0.015 - - =gemma-4-26b-a4b-it-maas
azure 0.1 - - - - =ada =text-embedding-ada =text-embedding-ada-002 =text-embedding-ada-002-v2
azure 0.4 - - - - =babbage =babbage-002
azure 2 - - - - =curie =text-curie =text-curie-001
azure 2 - - - - =davinci =davinci-002 =text-davinci =text-davinci-002
azure 15 60 7.5 - - =o1 =o1-2024-12-17
azure 1.1 4.4 0.55 - - =o1-mini =o1-mini-2024-09-12
azure 15 60 7.5 - - =o1-preview =o1-preview-2024-09-12
azure 2 8 0.5 - - =o3 =o3-2025-04-16
azure 1.1 4.4 0.55 - - =o3-mini =o3-mini-2025-01-31
azure 1.1 4.4 0.28 - - *o4-mini *o4-mini-2025-04-16
azure 1 1 - - - =phi-3-medium-128k-instruct
azure 0.1 0.1 - - - =phi-3-mini-128k-instruct
azure 0.1 0.1 - - - =phi-3.5-mini-128k-instruct
azure 0.07 0.14 - - - =phi-4
azure 0.08 0.35 - - - =phi-4-mini-instruct
azure 0.05 0.1 - - - =phi-4-multimodal-instruct
azure 0.07 0.35 - - - =phi-4-reasoning-plus
azure 0.13 - - - - =text-embedding-3-large
azure 0.02 - - - - =text-embedding-3-small
azure 0.48 0.48 - - - =wizardlm-2-8x22b
mistral 0.3 0.9 - - - =codestral-latest =codestral-2501
mistral 0.3 0.9 0.03 - - =codestral-2508
mistral 0.4 2 0.04 - - =devstral-2512
mistral 0.1 0.3 - - - =devstral-small =devstral-small-2505 =devstral-small-2507 =devstral-small-latest =labs-devstral-small-2512
mistral 2 5 - - - ^magistral-medium
mistral 0.5 1.5 - - - ^magistral-small-
mistral 0.2 0.2 0.02 - - =ministral-14b-2512
mistral 0.04 0.04 - - - =ministral-3b
mistral 0.1 0.1 0.01 - - =ministral-3b-2512
mistral 0.1 0.1 - - - =ministral-8b =ministral-8b-2410
mistral 0.15 0.15 0.015 - - =ministral-8b-2512
mistral 0.15 0.15 0.015 - - =ministral-8b-latest
mistral 0.25 0.25 - - - =mistral-7b =open-mistral-7b
mistral 0.1 0.1 - - - =mistral-embed
mistral 2 6 - - - =mistral-large =mistral-large-latest =mistral-large-2407 =mistral-large-2411
mistral 0.5 1.5 0.05 - - =mistral-large-2512
mistral 2.7 8.1 - - - =mistral-medium-2312
mistral 0.4 2 0.04 - - =mistral-medium =mistral-medium-2505 =mistral-medium-2508
mistral 1.5 7.5 0.15 - - =mistral-medium-3.5 =mistral-medium-3-5 =mistral-medium-3
mistral 1.5 7.5 0.15 - - =mistral-medium-latest
mistral 0.15 0.15 - - - =mistral-nemo =open-mistral-nemo
mistral 0.2 0.6 - - - =mistral-saba =mistral-saba-latest
mistral 0.05 0.08 - - - =mistral-small-24b-instruct-2501
mistral 0.15 0.6 0.015 - - =mistral-small-2603
mistral 0.351 0.555 - - - =mistral-small-3.1-24b-instruct
mistral 0.075 0.2 - - - =mistral-small-3.2-24b-instruct
mistral 0.1 0.3 - - - =mistral-small-latest
mistral 0.25 0.25 - - - =mistral-tiny
mistral 0.9 0.9 - - - =mixtral-8x22b-instruct
mistral 0.7 0.7 - - - ^mixtral-8x7b =open-mixtral-8x7b
mistral 0.15 0.15 - - - =pixtral-12b =pixtral-12b-latest
mistral 2 6 - - - =pixtral-large-latest =pixtral-large-2411
mistral 0.1 0.4 0.01 - - =voxtral-small-24b-2507 =voxtral-small-2507 =voxtral-small-latest
groq 0.75 0.99 - - - =deepseek-r1-distill-llama-70b
groq 0.07 0.07 - - - =gemma-7b-it
groq 0.2 0.2 - - - =gemma2-9b-it =gemma2-9b
groq 0.59 0.79 - - - =llama-3.1-405b-reasoning
groq 0.59 0.79 - - - =llama-3.1-70b-versatile
groq 0.05 0.08 - - - =llama-3.1-8b-instant
groq 0.18 0.18 - - - =llama-3.2-11b-text-preview
groq 0.18 0.18 - - - =llama-3.2-11b-vision-preview
groq 0.04 0.04 - - - =llama-3.2-1b-preview
groq 0.06 0.06 - - - =llama-3.2-3b-preview
groq 0.9 0.9 - - - =llama-3.2-90b-text-preview
groq 0.9 0.9 - - - =llama-3.2-90b-vision-preview
groq 0.59 0.99 - - - =llama-3.3-70b-specdec
groq 0.59 0.79 - - - =llama-3.3-70b-versatile
groq 0.2 0.2 - - - =llama-guard-3-8b
groq 0.7 0.8 - - - =llama2-70b-4096
groq 0.59 0.79 - - - =llama3-70b-8192
groq 0.05 0.08 - - - =llama3-8b-8192
groq 0.89 0.89 - - - =llama3-groq-70b-8192-tool-use-preview
groq 0.19 0.19 - - - =llama3-groq-8b-8192-tool-use-preview
groq 0.2 0.6 - - - =meta-llama/llama-4-maverick-17b-128e-instruct
groq 0.11 0.34 - - - =meta-llama/llama-4-scout-17b-16e-instruct
groq 0.2 0.2 - - - =meta-llama/llama-guard-4-12b
groq 0.79 0.79 - - - =mistral-saba-24b
groq 0.24 0.24 - - - =mixtral-8x7b-32768
groq 1 3 0.5 - - =moonshotai/kimi-k2-instruct =moonshotai/kimi-k2-instruct-0905
groq 0.15 0.6 0.075 - - =openai/gpt-oss-120b =openai/gpt-oss-safeguard-20b
groq 0.075 0.3 0.0375 - - =openai/gpt-oss-20b
groq 0.29 0.59 - - - =qwen/qwen3-32b
deepseek 0.135 0.55 0.035 - - ^deepseek-chat =deepseek-chat-v3-0324
deepseek 0.135 0.55 0.035 - - =deepseek-reasoner ^deepseek-r1 =deepseek-r1-0528
deepseek 0.27 0.95 0.13 - - =deepseek-v3.1-terminus
deepseek 0.2288 0.3432 - - - =deepseek-v3.2
deepseek 0.27 0.41 - - - =deepseek-v3.2-exp
deepseek 0.22 0.66 0.007 - - ^deepseek-v4-flash
deepseek 0.66 1.98 0.022 - - ^deepseek-v4-pro
x-ai 2 10 - - - =grok-2-1212 =grok-2 =grok-2-latest
x-ai 2 10 - - - =grok-2-vision-1212 =grok-2-vision =grok-2-vision-latest
x-ai 3 15 0.75 - - =grok-3 =grok-3-latest =grok-3-beta
x-ai 5 25 1.25 - - =grok-3-fast =grok-3-fast-latest =grok-3-fast-beta
x-ai 0.3 0.5 0.075 - - =grok-3-mini =grok-3-mini-beta =grok-3-mini-latest
x-ai 0.6 4 0.15 - - =grok-3-mini-fast =grok-3-mini-fast-beta =grok-3-mini-fast-latest
x-ai 3 15 0.75 - - =grok-4-0709 =grok-4 =grok-4-latest
x-ai 0.2 0.5 0.05 - - =grok-4-1-fast-non-reasoning =grok-4-1-fast-non-reasoning-latest
x-ai 0.2 0.5 0.05 - - =grok-4-1-fast =grok-4-1-fast-reasoning =grok-4-1-fast-reasoning-latest
x-ai 0.2 0.5 0.05 - - =grok-4-fast-non-reasoning =grok-4-fast-non-reasoning-latest
x-ai 0.2 0.5 0.05 - - =grok-4-fast =grok-4-fast-reasoning =grok-4-fast-reasoning-latest
x-ai 1.25 2.5 0.2 - + =grok-4.20
x-ai 2 6 0.2 - - =grok-4.20-multi-agent
x-ai 1.25 2.5 0.2 - + =grok-4.3 /^grok-4\.3-\d{8}$ =x-ai/grok-4.3 /^x-ai/grok-4\.3-\d{8}$ =grok-4.3-latest
x-ai 2 6 0.3 - + =grok-4.5 /^grok-4\.5-\d{8}$ =x-ai/grok-4.5 /^x-ai/grok-4\.5-\d{8}$ =grok-4.5-latest =grok-latest
x-ai 2 6 0.5 - + =grok-4.6 /^grok-4\.6-\d{8}$ =x-ai/grok-4.6 /^x-ai/grok-4\.6-\d{8}$ =grok-4.6-latest
x-ai 1 2 0.2 - + =grok-build-0.1
x-ai 0.2 1.5 0.02 - - =grok-code-fast =grok-code-fast-1 =grok-code-fast-1-0825
cohere 0.5 1.5 - - - *aya-expanse-32b
cohere 0.5 1.5 - - - *aya-expanse-8b
cohere 1 2 - - - =command
cohere 2.5 10 - - - =command-a =command-a-03-2025
cohere 0.3 0.6 - - - ^command-light
cohere 0.15 0.6 - - - =command-r =command-r-08-2024
cohere 2.5 10 - - - =command-r-plus =command-r-plus-08-2024
cohere 0.0375 0.15 - - - =command-r7b =command-r7b-12-2024
cohere 0.12 - - - - =embed-v4.0
together 0.3 0.3 - - - =Austism/chronos-hermes-13b
together 0.3 0.3 - - - =Gryphe/MythoMax-L2-13b
together 0.3 0.3 - - - =Nexusflow/NexusRaven-V2-13B
together 0.2 0.2 - - - =NousResearch/Nous-Capybara-7B-V1p9
together 0.9 0.9 - - - =NousResearch/Nous-Hermes-2-Mixtral-8x7B-DPO
together 0.9 0.9 - - - =NousResearch/Nous-Hermes-2-Mixtral-8x7B-SFT
together 0.8 0.8 - - - =NousResearch/Nous-Hermes-2-Yi-34B
together 0.225 0.225 - - - =NousResearch/Nous-Hermes-Llama2-13b
together 0.2 0.2 - - - =NousResearch/Nous-Hermes-llama-2-7b
together 0.2 0.2 - - - =Open-Orca/Mistral-7B-OpenOrca
together 0.1 0.1 - - - =Qwen/Qwen1.5-0.5B =Qwen/Qwen1.5-0.5B-Chat
together 0.1 0.1 - - - =Qwen/Qwen1.5-1.8B =Qwen/Qwen1.5-1.8B-Chat
together 0.3 0.3 - - - =Qwen/Qwen1.5-14B =Qwen/Qwen1.5-14B-Chat
together 0.1 0.1 - - - =Qwen/Qwen1.5-4B =Qwen/Qwen1.5-4B-Chat
together 0.9 0.9 - - - =Qwen/Qwen1.5-72B
together 0.2 0.2 - - - =Qwen/Qwen1.5-7B =Qwen/Qwen1.5-7B-Chat
together 0.3 0.3 - - - =Undi95/ReMM-SLERP-L2-13B
together 0.2 0.2 - - - =Undi95/Toppy-M-7B
together 0.3 0.3 - - - =WizardLM/WizardLM-13B-V1.2
together 0.2 0.2 - - - =allenai/OLMo-7B =allenai/OLMo-7B-Instruct =allenai/OLMo-7B-Twin-2T
together 0.225 0.225 - - - =codellama/CodeLlama-13b-Instruct-hf
together 0.776 0.776 - - - =codellama/CodeLlama-34b-Instruct-hf
together 0.9 0.9 - - - =codellama/CodeLlama-70b-Instruct-hf
together 0.2 0.2 - - - =codellama/CodeLlama-7b-Instruct-hf
together 0.8 0.8 - - - =deepseek-ai/deepseek-coder-33b-instruct
together 0.9 0.9 - - - =garage-bAInd/Platypus2-70B-instruct
together 0.1 0.1 - - - =google/gemma-2b =google/gemma-2b-it
together 0.2 0.2 - - - =google/gemma-7b =google/gemma-7b-it
together 0.3 0.3 - - - =lmsys/vicuna-13b-v1.5
together 0.2 0.2 - - - =lmsys/vicuna-7b-v1.5
together 0.225 0.225 - - - =meta-llama/Llama-2-13b-chat-hf
together 0.9 0.9 - - - =meta-llama/Llama-2-70b-chat-hf
together 0.2 0.2 - - - =meta-llama/Llama-2-7b-chat-hf
together 0.9 0.9 - - - =meta-llama/Llama-3-70b-chat-hf
together 0.2 0.2 - - - =meta-llama/Llama-3-8b-chat-hf
together 0.88 0.88 - - - =meta-llama/Llama-3.3-70B-Instruct-Turbo
together 0.27 0.85 - - - =meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8
together 0.18 0.59 - - - =meta-llama/Llama-4-Scout-17B-16E-Instruct
together 0.54 0.54 - - - =meta-llama/Meta-Llama-3-70B-Instruct-Lite
together 0.88 0.88 - - - =meta-llama/Meta-Llama-3-70B-Instruct-Turbo
together 0.1 0.1 - - - =meta-llama/Meta-Llama-3-8B-Instruct-Lite
together 0.18 0.18 - - - =meta-llama/Meta-Llama-3-8B-Instruct-Turbo
together 3.5 3.5 - - - =meta-llama/Meta-Llama-3.1-405B-Instruct-Turbo
together 0.88 0.88 - - - =meta-llama/Meta-Llama-3.1-70B-Instruct-Turbo
together 0.18 0.18 - - - =meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo
together 0.88 0.88 - - - =meta-llama/Meta-Llama-3.3-70B-Instruct-Turbo
together 1.2 1.2 - - - =microsoft/WizardLM-2-8x22B
together 0.1 0.1 - - - =microsoft/phi-2
together 0.2 0.2 - - - =mistralai/Mistral-7B-Instruct-v0.1
together 0.2 0.2 - - - =mistralai/Mistral-7B-Instruct-v0.2
together 0.2 0.2 - - - =mistralai/Mistral-7B-v0.1
together 2.4 2.4 - - - =mistralai/Mixtral-8x22B-Instruct-v0.1
together 0.9 0.9 - - - =mistralai/Mixtral-8x7B-Instruct-v0.1
together 0.9 0.9 - - - =mistralai/Mixtral-8x7B-v0.1
together 0.2 0.2 - - - =openchat/openchat-3.5-1210
together 0.2 0.2 - - - =snorkelai/Snorkel-Mistral-PairRM-DPO
together 0.2 0.2 - - - =teknium/OpenHermes-2-Mistral-7B
together 0.2 0.2 - - - =teknium/OpenHermes-2p5-Mistral-7B
together 0.2 0.2 - - - =togethercomputer/GPT-JT-Moderation-6B
together 0.2 0.2 - - - =togethercomputer/Llama-2-7B-32K-Instruct
together 0.2 0.2 - - - =togethercomputer/RedPajama-INCITE-7B-Base
together 0.2 0.2 - - - =togethercomputer/RedPajama-INCITE-7B-Chat
together 0.2 0.2 - - - =togethercomputer/RedPajama-INCITE-7B-Instruct
together 0.1 0.1 - - - =togethercomputer/RedPajama-INCITE-Base-3B-v1
together 0.1 0.1 - - - =togethercomputer/RedPajama-INCITE-Chat-3B-v1
together 0.1 0.1 - - - =togethercomputer/RedPajama-INCITE-Instruct-3B-v1
together 0.2 0.2 - - - =togethercomputer/StripedHyena-Hessian-7B
together 0.2 0.2 - - - =togethercomputer/StripedHyena-Nous-7B
together 0.2 0.2 - - - =togethercomputer/alpaca-7b
together 0.3 0.3 - - - =upstage/SOLAR-10.7B-Instruct-v1.0
together 0.8 0.8 - - - =zero-one-ai/Yi-34B
together 0.2 0.2 - - - =zero-one-ai/Yi-6B
fireworks 3 8 - - - =accounts/fireworks/models/deepseek-r1-0528
fireworks 0.9 0.9 - - - =accounts/fireworks/models/deepseek-v3-0324
fireworks 0.56 1.68 0.28 - - =accounts/fireworks/models/deepseek-v3p2
fireworks 0.14 0.28 0.028 - - =accounts/fireworks/models/deepseek-v4-flash =accounts/fireworks/models/deepseek-v4-flash-0731
fireworks 1.74 3.48 0.145 - - =accounts/fireworks/models/deepseek-v4-pro
fireworks 0.1 0.1 - - - =accounts/fireworks/models/gemma-3-27b-it
fireworks 0.6 2.2 - - - =accounts/fireworks/models/glm-4p7
fireworks 1.4 4.4 0.26 - - =accounts/fireworks/models/glm-5p1
fireworks 2.8 8.8 0.52 - - =accounts/fireworks/routers/glm-5p1-fast
fireworks 1.4 4.4 0.14 - - =accounts/fireworks/models/glm-5p2
fireworks 2.1 6.6 0.21 - - =accounts/fireworks/routers/glm-5p2-fast =accounts/fireworks/routers/glm-5p2-fast-us
fireworks 0.15 0.6 0.014 - - =accounts/fireworks/models/gpt-oss-120b
fireworks 0.07 0.3 0.035 - - =accounts/fireworks/models/gpt-oss-20b
fireworks 1 4.05 0.17 - - =accounts/fireworks/models/inkling
fireworks 0.6 3 0.1 - - =accounts/fireworks/models/kimi-k2p5
fireworks 0.95 4 0.16 - - =accounts/fireworks/models/kimi-k2p6
fireworks 2 8 0.3 - - =accounts/fireworks/routers/kimi-k2p6-fast
fireworks 0.95 4 0.19 - - =accounts/fireworks/models/kimi-k2p7-code
fireworks 1.9 8 0.38 - - =accounts/fireworks/routers/kimi-k2p7-code-fast
fireworks 3 15 0.3 - - =accounts/fireworks/models/kimi-k3
fireworks 4.5 22.5 0.45 - - =accounts/fireworks/routers/kimi-k3-fast
fireworks 3.3 16.5 0.33 - - =accounts/fireworks/routers/kimi-k3-us
fireworks 0.2 0.2 - - - =accounts/fireworks/models/llama-v3p1-8b-instruct
fireworks 0.22 0.88 - - - =accounts/fireworks/models/llama4-maverick-instruct-basic
fireworks 0.3 1.2 - - - =accounts/fireworks/models/minimax-m2p1
fireworks 0.3 1.2 0.06 - - =accounts/fireworks/models/minimax-m2p7
fireworks 0.3 1.2 0.06 - - =accounts/fireworks/models/minimax-m3
fireworks 0.6 2.4 0.12 - - =accounts/fireworks/models/nemotron-3-ultra-nvfp4
fireworks 0.9 0.9 - - - =accounts/fireworks/models/qwen2p5-vl-72b-instruct
fireworks 0.22 0.88 - - - =accounts/fireworks/models/qwen3-235b-a22b
fireworks 0.5 3 0.1 - - =accounts/fireworks/models/qwen3p6-plus
fireworks 0.4 1.6 0.08 - - =accounts/fireworks/models/qwen3p7-plus
perplexity 1 1 - - - =llama-3.1-sonar-large-128k-online
perplexity 0.2 0.2 - - - =llama-3.1-sonar-small-128k-online
perplexity 2 8 - - - =r1-1776
perplexity 1 1 - - - =sonar
perplexity 2 8 - - - =sonar-deep-research
perplexity 3 15 - - - =sonar-pro
perplexity 3 15 - - - =sonar-pro-search
perplexity 1 5 - - - =sonar-reasoning
perplexity 2 8 - - - =sonar-reasoning-pro
cerebras 0.99 1.49 - - - =gemma-4-31b ^cerebras/gemma-4-31b ^cerebras:gemma-4-31b
cerebras 0.35 0.75 - - - =gpt-oss-120b ^cerebras/gpt-oss-120b ^cerebras:gpt-oss-120b
cerebras 0.85 1.2 - - - =llama-3.3-70b ^cerebras/llama-3.3-70b ^cerebras:llama-3.3-70b
cerebras 0.1 0.1 - - - =llama3.1-8b ^cerebras/llama3.1-8b ^cerebras:llama3.1-8b
cerebras 0.4 0.8 - - - =qwen-3-32b ^cerebras/qwen-3-32b ^cerebras:qwen-3-32b
cerebras 2.25 2.75 - - - =zai-glm-4.7 ^cerebras/zai-glm-4.7 ^cerebras:zai-glm-4.7
moonshotai 0.57 2.3 - - - =kimi-k2
moonshotai 0.6 2.5 0.15 - - =kimi-k2-0711-preview
moonshotai 0.6 2.5 0.15 - - =kimi-k2-0905-preview
moonshotai 0.6 2.5 0.15 - - =kimi-k2-thinking
moonshotai 1.15 8 0.15 - - =kimi-k2-thinking-turbo
moonshotai 1.15 8 0.15 - - ^kimi-k2-turbo
moonshotai 0.6 3 0.1 - - ^kimi-k2.5
moonshotai 0.95 4 0.16 - - ^kimi-k2.6
moonshotai 0.95 4 0.19 - - =kimi-k2.7-code
moonshotai 1.9 8 0.38 - - =kimi-k2.7-code-highspeed
moonshotai 3 15 0.3 - - =kimi-k3
moonshotai 2 5 - - - =moonshot-v1-128k =moonshot-v1-128k-vision-preview
moonshotai 1 3 - - - =moonshot-v1-32k =moonshot-v1-32k-vision-preview
moonshotai 0.2 2 - - - =moonshot-v1-8k =moonshot-v1-8k-vision-preview
novita 0.05 0.05 - - - =Sao10K/L3-8B-Stheno-v3.2
novita 0.9 0.9 - - - =cognitivecomputations/dolphin-mixtral-8x22b
novita 4 4 - - - =deepseek/deepseek-r1
novita 0.8 0.8 - - - =deepseek/deepseek-r1-distill-llama-70b
novita 0.04 0.04 - - - =deepseek/deepseek-r1-distill-llama-8b
novita 0.15 0.15 - - - =deepseek/deepseek-r1-distill-qwen-14b
novita 0.3 0.3 - - - =deepseek/deepseek-r1-distill-qwen-32b
novita 0.89 0.89 - - - =deepseek/deepseek_v3
novita 0.08 0.08 - - - =google/gemma-2-9b-it
novita 0.09 0.09 - - - =gryphe/mythomax-l2-13b
novita 0.5 0.5 - - - =jondurbin/airoboros-l2-70b
novita 0.51 0.74 - - - =meta-llama/llama-3-70b-instruct
novita 0.04 0.04 - - - =meta-llama/llama-3-8b-instruct
novita 0.34 0.39 - - - =meta-llama/llama-3.1-70b-instruct
novita 0.05 0.05 - - - =meta-llama/llama-3.1-8b-instruct =meta-llama/llama-3.1-8b-instruct-max
novita 0.06 0.06 - - - =meta-llama/llama-3.1-8b-instruct-bf16
novita 0.06 0.06 - - - =meta-llama/llama-3.2-11b-vision-instruct
novita 0.02 0.02 - - - =meta-llama/llama-3.2-1b-instruct
novita 0.03 0.05 - - - =meta-llama/llama-3.2-3b-instruct
novita 0.39 0.39 - - - =meta-llama/llama-3.3-70b-instruct
novita 0.62 0.62 - - - =microsoft/wizardlm-2-8x22b
novita 0.059 0.059 - - - =mistralai/mistral-7b-instruct
novita 0.17 0.17 - - - =mistralai/mistral-nemo
novita 0.14 0.14 - - - =nousresearch/hermes-2-pro-llama-3-8b
novita 0.17 0.17 - - - =nousresearch/nous-hermes-llama2-13b
novita 0.06 0.06 - - - =openchat/openchat-7b
novita 0.054 0.054 - - - =qwen/qwen-2-7b-instruct
novita 0.45 0.45 - - - =qwen/qwen-2-vl-72b-instruct
novita 0.38 0.4 - - - =qwen/qwen-2.5-72b-instruct
novita 1.48 1.48 - - - =sao10k/l3-70b-euryale-v2.1
novita 0.05 0.05 - - - =sao10k/l3-8b-lunaris
novita 1.48 1.48 - - - =sao10k/l31-70b-euryale-v2.2
novita 0.8 0.8 - - - =sophosympatheia/midnight-rose-70b
novita 0.17 0.17 - - - =teknium/openhermes-2.5-mistral-7b
voyageai 0.1 - - - - =voyage-01
voyageai 0.1 - - - - =voyage-02
voyageai 0.1 - - - - =voyage-2
voyageai 0.06 - - - - =voyage-3
voyageai 0.18 - - - - =voyage-3-large
voyageai 0.02 - - - - =voyage-3-lite
voyageai 0.06 - - - - =voyage-3.5
voyageai 0.02 - - - - =voyage-3.5-lite
voyageai 0.06 - - - - =voyage-4
voyageai 0.12 - - - - =voyage-4-large
voyageai 0.02 - - - - =voyage-4-lite
voyageai 0.12 - - - - =voyage-code-2
voyageai 0.18 - - - - =voyage-code-3
voyageai 0.18 - - - - =voyage-context-3
voyageai 0.12 - - - - =voyage-finance-2
voyageai 0.12 - - - - =voyage-large-2
voyageai 0.12 - - - - =voyage-large-2-instruct
voyageai 0.12 - - - - =voyage-law-2
voyageai 0.1 - - - - =voyage-lite-01
voyageai 0.1 - - - - =voyage-lite-01-instruct
voyageai 0.1 - - - - =voyage-lite-02-instruct
voyageai 0.12 - - - - =voyage-multilingual-2
zai 1.4 4.4 0.26 - - =GLM-5.2 =glm-5.2
zai 1.4 4.4 0.26 - - =GLM-5.3 =glm-5.3
zai 0.075 0.25 0.015 - - =GLM-5.3-Flash =glm-5.3-flash
baseten 0.13 0.26 0.028 - - =deepseek-ai/DeepSeek-V4-Flash-0731
baseten 1.74 3.48 0.145 - - =deepseek-ai/DeepSeek-V4-Pro
baseten 1.32 3.96 0.132 - - =deepseek-ai/DeepSeek-V4-Pro-0813
baseten 0.95 4 0.16 - - =moonshotai/Kimi-K2.6
baseten 0.95 4 0.16 - - =moonshotai/Kimi-K2.7-Code
baseten 3 15 0.3 - - =moonshotai/Kimi-K3
baseten 0.6 2.4 0.12 - - =nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B
baseten 0.1 0.5 - - - =openai/gpt-oss-120b
baseten 1 4.05 0.17 - - =thinkingmachines/inkling
baseten 0.5 1.2 0.1 - - =thinkingmachines/inkling-small
baseten 0.6 2.2 0.12 - - =zai-org/GLM-4.7
baseten 1.4 4.4 0.14 - - =zai-org/GLM-5.2
baseten 2.1 6.6 0.21 - - =zai-org/GLM-5.2-Fast
baseten 1.4 4.4 0.14 - - =zai-org/GLM-5.3
baseten 0.15 0.5 0.03 - - =zai-org/GLM-5.3-Flash
`
