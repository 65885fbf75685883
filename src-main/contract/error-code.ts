/** The codes of all errors, by area. Each code has one meaning, wherever it is used. */
const codes = {
  /** Authorization requests (RFC 6749, 4.1.2.1). */
  authorization: ['access_denied', 'invalid_scope', 'unsupported_response_type'],
  /** Token requests (RFC 6749, 5.2). */
  token: ['invalid_client', 'invalid_grant', 'unsupported_grant_type'],
  /** Permission for a request: bearer tokens (RFC 6750, 3.1), Micropub, and (`not_allowed`) calls over IPC. */
  access: ['forbidden', 'insufficient_scope', 'invalid_token', 'not_allowed', 'unauthorized'],
  /** Requests in general. `invalid_input` is webmention.io's name for `invalid_request`, used in its reading API. */
  request: ['gone', 'invalid_input', 'invalid_request', 'not_found', 'unknown_method'],
  /** The owner's changes to a post. `conflict`: it changed in the meantime. `not_editable`: the form can't hold it. */
  writing: ['conflict', 'not_editable', 'slug_taken'],
  /** The server can't handle a request. `visitor_gone`: nobody would receive the response. */
  server: ['insufficient_storage', 'server_error', 'temporarily_unavailable', 'visitor_gone'],
  /** The data folder doesn't accept writes. */
  disk: ['storage_full', 'storage_gone', 'storage_unwritable'],
  /** A file can't be read, but isn't damaged. It stays unchanged. */
  unreadable: ['storage_migration', 'storage_newer', 'storage_unreadable'],
  /** The derived index is damaged. The next start makes it again. */
  index: ['storage_damaged'],
  /** Other failures of the storage. `storage_broken`: a file is damaged. */
  otherStorage: ['storage_broken', 'storage_busy', 'storage_changed', 'storage_invalid'],
  /** The data folder as a whole. `place_broken`: a record of where the data is, or was copied to, can't be read. */
  folder: ['data_has_links', 'folder_fixed', 'folder_in_use', 'place_broken', 'place_missing'],
  /** The owner's tasks, and the files that they name. `busy`: another task is running. */
  task: ['busy', 'cancelled', 'file_exists', 'invalid_path', 'not_on_desktop'],
  backup: ['backup_broken', 'backup_newer', 'not_a_backup'],
  /** The secrets in a backup. `secrets_unavailable`: they could not be encrypted or decrypted. */
  backupSecrets: ['no_secrets', 'secrets_unavailable', 'wrong_passphrase'],
  /** Restores. `restart_needed`: a restore or a move is waiting for the next start. */
  restore: ['nothing_checked', 'restart_needed', 'restore_broken', 'restore_stuck', 'restore_underway'],
  /** The secrets on this computer. */
  secrets: ['invalid_secret', 'keychain_unavailable', 'secrets_file_unreadable'],
  /** Another server sent no usable response. */
  fetch: [
    'fetch_bad_url',
    'fetch_failed',
    'fetch_refused_address',
    'fetch_timeout',
    'fetch_too_large',
    'fetch_too_many_redirects',
  ],
  /** Pages of other servers. `reading_unavailable`: this server can't read any page at the moment. */
  page: ['bad_status', 'page_too_large', 'page_too_slow', 'page_unreadable', 'reading_unavailable'],
  /** What the pages and settings say about the owner or an app. */
  identity: ['client_unread', 'no_profile', 'not_set_up'],
  /** Received mentions. `page_full`: the mentioned page has no room for another mention from this site. */
  mentions: ['page_full', 'removed_by_source'],
  import: ['aggregator_failed', 'aggregator_refused', 'no_aggregator_token'],
  /** An archive that posts are imported from. `archive_unknown`: it has none of the known formats. */
  archive: ['archive_broken', 'archive_unknown'],
  /** How the web and the window reach this server. */
  reach: ['listen_failed', 'no_public_address', 'port_taken', 'server_off', 'tunnel_off', 'unreachable'],
  /** The program cloudflared. `download_interrupted`: another attempt may help. */
  cloudflared: ['binary_missing', 'download_failed', 'download_interrupted'],
  /** Starting Porchlight. `not_supported`: this system can't start it at login. */
  start: ['invalid_option', 'not_supported'],
  /** The command `porchlight`. */
  command: ['ambiguous', 'failed', 'invalid_photo', 'not_approved', 'usage'],
  /** The command's connection to Porchlight. */
  connection: ['no_answer', 'not_porchlight', 'not_running', 'other_user', 'other_version'],
} as const;

type CodeOf<Area extends keyof typeof codes> = (typeof codes)[Area][number];

export type ErrorCode = CodeOf<keyof typeof codes>;
export type FetchCode = CodeOf<'fetch'>;
export type DiskCode = CodeOf<'disk'>;
export type UnreadableCode = CodeOf<'unreadable'>;
export type StorageCode = DiskCode | UnreadableCode | CodeOf<'index' | 'otherStorage'>;

const known: ReadonlySet<string> = new Set(Object.values(codes).flat());

/** Returns whether a text from outside is a code that this version knows. */
export function isErrorCode(text: string): text is ErrorCode {
  return known.has(text);
}

/** Returns whether a code means that nothing can be saved in the data folder. */
export function isDiskCode(code: ErrorCode): code is DiskCode {
  return codes.disk.some((one) => one === code);
}

/** Returns whether a code means that a file can't be read but isn't damaged. */
export function isUnreadableCode(code: ErrorCode): code is UnreadableCode {
  return codes.unreadable.some((one) => one === code);
}

/** The codes of problems that the owner sees until they are solved. */
export const problemCodes = [
  ...codes.disk,
  ...codes.unreadable,
  ...codes.index,
  'clock',
  'folder_open',
  'move_failed',
  'restart_needed',
  'restarted',
  'restore_lost',
  'site_folder',
  'storage_recovered',
  'weekly_copies_stay',
  'weekly_copy_failed',
] as const;
