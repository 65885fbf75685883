import { grantTable } from '../indieauth/grant-rows.ts';
import { mediaTable } from '../media/media-table.ts';
import { blockedTable } from '../mentions/blocked.ts';
import { activityTable } from '../owner/activity.ts';
import { importItemsTable, importRunsTable } from '../owner/importing/import-records.ts';
import { newsTable } from '../owner/news.ts';
import { mailboxServerTable } from '../owner/mailbox/mailbox-server.ts';
import { removalsTable } from '../site/publishers/copies/waiting-removals.ts';
import type { RecordTable } from '../storage/records/record-table.ts';

/** The tables of all features in records.sqlite. */
export const recordTables: readonly RecordTable[] = [
  activityTable,
  blockedTable,
  grantTable,
  importItemsTable,
  importRunsTable,
  mailboxServerTable,
  mediaTable,
  newsTable,
  removalsTable,
];
