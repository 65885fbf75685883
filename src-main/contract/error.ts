/**
 * The base class of all errors that this project throws on purpose. `code` is stable and machine-readable: the OAuth,
 * IndieAuth or Micropub error name if one exists. `status` is the HTTP status on the public API. `message` is text that
 * is safe to show to people.
 */
export class PorchlightError extends Error {
  override readonly name: string = 'PorchlightError';
  readonly code: ErrorCode;
  readonly status: number;

  constructor(code: ErrorCode, message: string, status = 400, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.status = status;
  }
}

/** The codes of all errors, grouped by area. A code has the same meaning everywhere. */
const codes = {
  /** Errors in authorization requests (RFC 6749, 4.1.2.1; `invalid_target`: RFC 8707, 2). */
  authorization: ['access_denied', 'invalid_scope', 'invalid_target', 'unsupported_response_type'],
  /** Errors in token requests (RFC 6749, 5.2). */
  token: ['invalid_client', 'invalid_grant', 'unsupported_grant_type'],
  /**
   * Errors for requests that lack the required permission: requests with a bearer token (RFC 6750, 3.1), Micropub
   * requests, and IPC calls (`not_allowed`). `needs_review`: permissions that the owner gives together only in the
   * window.
   */
  access: ['forbidden', 'insufficient_scope', 'invalid_token', 'needs_review', 'not_allowed', 'unauthorized'],
  /**
   * Errors in requests of any kind. `invalid_input`: the name that webmention.io's API for reading mentions uses for
   * `invalid_request`.
   */
  request: ['gone', 'invalid_input', 'invalid_request', 'not_found', 'unknown_method'],
  /**
   * Errors when the owner changes a post. `conflict`: the post was changed in the meantime. `not_editable`: the
   * editor's form can't represent the post's content.
   */
  writing: ['conflict', 'not_editable', 'slug_taken'],
  /**
   * Reasons why the server can't handle a request. `visitor_gone`: the client has disconnected and would not receive
   * the response.
   */
  server: ['insufficient_storage', 'server_error', 'temporarily_unavailable', 'visitor_gone'],
  /** Errors when writing to the data folder. */
  disk: ['storage_full', 'storage_gone', 'storage_unwritable'],
  /**
   * Errors for a file that can't be read. Porchlight leaves such a file unchanged. `storage_broken`: the file is damaged,
   * and so is its previous version.
   */
  unreadable: ['storage_broken', 'storage_migration', 'storage_newer', 'storage_unreadable'],
  /** The database is damaged, and is being repaired, or a post in it may be older than what was saved. */
  database: ['storage_damaged'],
  otherStorage: ['storage_busy', 'storage_changed', 'storage_invalid'],
  /**
   * Errors that affect the whole data folder. `place_broken`: Porchlight can't read the file that records where the
   * data is, or the list of the files that a move has copied.
   */
  folder: ['data_has_links', 'folder_fixed', 'folder_in_use', 'place_broken', 'place_missing'],
  /**
   * Errors in tasks that the owner starts, such as backups, and errors in the files that the owner chose for these
   * tasks. `busy`: another task is running.
   */
  task: ['busy', 'cancelled', 'file_exists', 'invalid_path', 'not_on_desktop'],
  backup: ['backup_broken', 'backup_newer', 'not_a_backup'],
  /**
   * Errors related to the secrets in a backup. `secrets_unavailable`: the secrets could not be encrypted or decrypted.
   */
  backupSecrets: ['no_secrets', 'secrets_unavailable', 'wrong_passphrase'],
  /** Errors in restores. `restart_needed`: a restore or a move is scheduled for the next start. */
  restore: ['nothing_checked', 'restart_needed', 'restore_broken', 'restore_stuck', 'restore_underway'],
  /** Errors related to the secrets on this computer. */
  secrets: ['invalid_secret', 'keychain_unavailable', 'secrets_file_unreadable'],
  /** Errors in requests to other servers. Porchlight refused the request, or got no usable response. */
  fetch: [
    'fetch_bad_url',
    'fetch_failed',
    'fetch_refused_address',
    'fetch_timeout',
    'fetch_too_large',
    'fetch_too_many_redirects',
  ],
  /**
   * Errors when reading other servers' pages, and files that Porchlight didn't write. `reading_unavailable`: this server
   * can't currently read any pages.
   */
  page: ['bad_status', 'page_too_large', 'page_too_slow', 'page_unreadable', 'reading_unavailable'],
  /**
   * Errors about identity. `client_unread`: an app's page could not be read. `no_profile`: the owner's page has no
   * h-card. `not_set_up`: a required setting is missing.
   */
  identity: ['client_unread', 'no_profile', 'not_set_up'],
  /**
   * Errors about received mentions. `blocked`: the owner blocked the author or the site. `page_full`: the mentioned page already has the maximum number of mentions, either
   * in total or from the new mention's site.
   */
  mentions: ['blocked', 'page_full', 'removed_by_source'],
  import: ['aggregator_failed', 'aggregator_refused', 'no_aggregator_token'],
  /** Errors related to an archive of posts to import. `archive_unknown`: the archive's format isn't supported. */
  archive: ['archive_broken', 'archive_unknown'],
  /** Problems that prevent the web or the window from reaching this server. */
  reach: [
    'funnel_failed',
    'listen_failed',
    'no_public_address',
    'port_taken',
    'server_off',
    'tunnel_off',
    'unreachable',
  ],
  /** Errors related to the cloudflared program. `download_interrupted`: retrying may help. */
  cloudflared: ['binary_missing', 'download_failed', 'download_interrupted'],
  /**
   * Errors in the setup at Cloudflare. `cloudflare_token`: the token isn't valid, or lacks a permission.
   * `cloudflare_limit`: the account's plan doesn't allow more resources.
   */
  cloudflare: [
    'cloudflare_failed',
    'cloudflare_limit',
    'cloudflare_name_taken',
    'cloudflare_token',
    'cloudflare_token_needed',
  ],
  /**
   * Errors with the mailbox at Cloudflare. `mailbox_outdated`: the mailbox must be uploaded again, because it is
   * missing, or because its keys or its version aren't the expected ones. `mailbox_not_empty`: removing the mailbox
   * would delete requests that it keeps for this server and that can't be fetched now.
   */
  mailbox: ['mailbox_failed', 'mailbox_not_empty', 'mailbox_other_server', 'mailbox_outdated'],
  /** Errors when starting Porchlight. `not_supported`: this system can't start Porchlight at login. */
  start: ['invalid_option', 'not_supported'],
  /** Errors from the command `porchlight`. */
  command: ['ambiguous', 'failed', 'invalid_photo', 'not_approved', 'usage'],
  /** Errors in the connection between the command `porchlight` and the running app. */
  connection: ['no_answer', 'not_porchlight', 'not_running', 'other_user', 'other_version'],
} as const;

type CodeOf<Area extends keyof typeof codes> = (typeof codes)[Area][number];

export type ErrorCode = CodeOf<keyof typeof codes>;
export type FetchCode = CodeOf<'fetch'>;
export type DiskCode = CodeOf<'disk'>;
export type UnreadableCode = CodeOf<'unreadable'>;
export type StorageCode = DiskCode | UnreadableCode | CodeOf<'database' | 'otherStorage'>;

const known: ReadonlySet<string> = new Set(Object.values(codes).flat());

/** Returns whether a string from another process is an error code of this version. */
export function isErrorCode(text: string): text is ErrorCode {
  return known.has(text);
}

/** Returns whether an error code means that nothing can be saved in the data folder. */
export function isDiskCode(code: ErrorCode): code is DiskCode {
  return codes.disk.some((one) => one === code);
}

/** Returns whether an error code means that a file can't be read, and stays unchanged. */
export function isUnreadableCode(code: ErrorCode): code is UnreadableCode {
  return codes.unreadable.some((one) => one === code);
}

/** The codes of problems that Porchlight shows to the owner until they are solved. */
export const problemCodes = [
  ...codes.disk,
  ...codes.unreadable,
  ...codes.database,
  'clock',
  'conflicted_copies',
  'edited_files',
  'folder_open',
  'mailbox',
  'mentions_held',
  'move_failed',
  'no_notifications',
  'no_sandbox',
  'not_saved',
  'restart_needed',
  'restarted',
  'restore_lost',
  'secrets_lost',
  'site_folder',
  'snapshot_failed',
  'storage_recovered',
  'weekly_copies_stay',
  'weekly_copy_failed',
] as const;
