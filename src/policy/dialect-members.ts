import type { DialectName } from './backend-dialects.ts'

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** The members that requests of a dialect may have, as its maker documents them. */
export interface DialectMembers {
  /** Members of the body itself. */
  readonly top: ReadonlySet<string>
  /** Members of the objects in it: items, messages, parts, blocks, tools, and settings such as `reasoning`. */
  readonly below: ReadonlySet<string>
}

/**
 * Where the members of an object are written by clients, tools or models, and no dialect knows their names. SDKs add what they
 * parsed of an answer to its items, and send it back.
 */
export const FREE_MEMBERS: ReadonlySet<string> = new Set(
  words(`arguments parameters input_schema output_schema input_examples schema metadata client_metadata headers env filters
  annotations citations results logprobs variables configs parsed parsed_arguments parsed_output`),
)

const MEDIA = words('image_url file_url video_url audio_url input_audio')

/** OpenAI's Responses. */
const responses: DialectMembers = {
  top: new Set(
    words(`model input instructions tools tool_choice parallel_tool_calls text reasoning include stream stream_options
    max_output_tokens max_tool_calls temperature top_p top_logprobs presence_penalty frequency_penalty user
    safety_identifier previous_response_id conversation background context_management service_tier truncation prompt
    store metadata client_metadata prompt_cache_key prompt_cache_retention prompt_cache_options`),
  ),
  below: new Set([
    ...MEDIA,
    ...FREE_MEMBERS,
    ...words(`acknowledged_safety_checks action actions allowed_callers allowed_domains allowed_tools always
    approval_request_id approve authorization background button call_id caller caller_id city code command commands
    compact_threshold connector_id container container_id content context country created_at created_by data defer_loading
    definition description detail diff display_height display_width domain domain_secrets effort embedding_weight
    encrypted_content end_turn environment error execution exit_code external_web_access file_data file_id file_ids filename fingerprint
    format generate_summary hybrid_search id include_obfuscation input input_fidelity input_image_mask key keys logs
    max_num_results max_output_length media_type memory_limit message mode model moderation name namespace
    network_policy never object operation outcome output output_compression output_format outputs partial_images path
    pattern pending_safety_checks phase prompt prompt_cache_breakpoint quality queries query ranker ranking_options
    read_only reason refusal region require_approval result role score_threshold scroll_x scroll_y search_content_types
    search_context_size server_description server_label server_url size skill_id skills source sources status stderr
    stdout strict summary syntax text text_weight timeout_ms timezone tool_names tools transcript ttl tunnel_id type url
    user user_location value vector_store_ids verbosity version working_directory x y`),
  ]),
}

/** Anthropic's Messages. */
const messages: DialectMembers = {
  top: new Set(
    words(`model messages system max_tokens stop_sequences tools tool_choice stream temperature top_p top_k thinking
    output_config mcp_servers container compaction thread inference_geo speed metadata service_tier cache_control
    diagnostics`),
  ),
  below: new Set([
    ...MEDIA,
    ...FREE_MEMBERS,
    ...words(`active allowed_callers allowed_domains allowed_tools authorization_token block_binding blocked_domains
    budget_tokens cache_control caching caller city clear_at clear_at_least clear_tool_inputs client_tool_results
    content context country data default_config defer_loading definition description disable_parallel_tool_use display
    display_height_px display_number display_width_px download_id eager_input_streaming edits effort enable_zoom enabled
    encrypted_content encrypted_index encrypted_stdout error error_code error_message exclude_tools file_id file_type
    format from id input instructions is_error is_file_update keep lines max_characters max_content_tokens max_uses
    mcp_server_name media_type mode model name new_lines new_start num_lines old_lines old_start oversized_image
    page_age path pause_after_compaction prefix_mismatch_behavior previous_message_id reason region remaining
    response_inclusion retrieved_at return_code role server_name server_tool_results signature size_bytes skill_id skills
    source start_line state_changes stderr stdout stop_reason strict tab_id tabs task_budget text thinking timezone
    title to token tool tool_changes tool_configuration tool_id tool_name tool_references tool_use_id tools toolset_name
    total total_lines transformations trigger ttl type url url_sources use_cache user_id user_input user_location value
    version`),
  ]),
}

/** The members of each dialect in which a request may go to its backend as its client wrote it. */
export const DIALECT_MEMBERS = { responses, messages } as const

/** Client dialects other than chat completions. */
export type ClientDialectName = keyof typeof DIALECT_MEMBERS

export const isClientDialect = (name: DialectName): name is ClientDialectName => Object.hasOwn(DIALECT_MEMBERS, name)

/** Events of clients in OpenAI's Realtime, by their type. Other protocols have types of their own. */
export const REALTIME_EVENTS: ReadonlySet<string> = new Set([
  ...['session.update', 'session.close', 'transcription_session.update', 'response.create', 'response.cancel'],
  ...[
    'conversation.item.create',
    'conversation.item.delete',
    'conversation.item.retrieve',
    'conversation.item.truncate',
  ],
  ...['input_audio_buffer.append', 'input_audio_buffer.commit', 'input_audio_buffer.clear'],
  ...['output_audio_buffer.clear', 'session.input_audio_buffer.append'],
])

/** The members of such an event; `final` is vLLM's. */
export const REALTIME_MEMBERS: DialectMembers = {
  top: new Set(
    words(`type event_id session response item item_id previous_item_id content_index audio_end_ms response_id audio
    final`),
  ),
  below: new Set([
    ...MEDIA,
    ...FREE_MEMBERS,
    ...words(`allowed_callers allowed_tools always approval_request_id approve audio audio_end_ms authorization call_id
    client_secret code connector_id content content_index conversation create_response data defer_loading delay
    description detail eagerness effort error event_id expires_at file_data file_id filename format group_id id
    idle_timeout_ms include input input_audio_format input_audio_noise_reduction input_audio_transcription instructions
    interrupt_response item item_id language max_output_tokens max_response_output_tokens message modalities mode model
    name never noise_reduction object output output_audio_format output_modalities parallel_tool_calls post_instructions
    prefix_padding_ms previous_item_id prompt rate read_only reason reasoning require_approval response response_id
    retention_ratio role server_description server_label server_url session silence_duration_ms speed status strict
    temperature text threshold token_limits tool_choice tool_names tools tracing transcript transcription truncation
    tunnel_id turn_detection type url value version voice workflow_name`),
  ]),
}

/** The members of an event that is a request of Responses. */
export const RESPONSES_EVENT: DialectMembers = {
  top: new Set([...responses.top, 'type', 'event_id', 'generate']),
  below: responses.below,
}
