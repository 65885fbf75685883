import { grantTable } from '../indieauth/grant-rows.ts';
import { mediaTable } from '../media/media-table.ts';
import { blockedTable } from '../mentions/blocked.ts';
import { mentionTable } from '../mentions/mention-table.ts';
import { activityTable } from '../owner/activity.ts';
import { importItemsTable, importRunsTable } from '../owner/importing/import-records.ts';
import { newsTable } from '../owner/news.ts';
import { mailboxServerTable } from '../owner/mailbox/mailbox-server.ts';
import { citedTable } from '../site/cited-pages.ts';
import { removalsTable } from '../site/publishers/copies/waiting-removals.ts';
import { workTable } from '../storage/work/work-table.ts';
import type { RecordTable } from '../storage/records/record-table.ts';
import { aggregatorChangesTable, aggregatorRunsTable } from '../webmention/import/import-runs.ts';
import { aggregatorStateTable } from '../webmention/import/import-state.ts';
import { receivedTable } from '../webmention/received-mentions.ts';
import { sendTables } from '../webmention/send/delivery-table.ts';
import { hubTables } from '../websub/subscription-tables.ts';

/** The tables of all features in records.sqlite. */
export const recordTables: readonly RecordTable[] = [
  activityTable,
  aggregatorChangesTable,
  aggregatorRunsTable,
  aggregatorStateTable,
  blockedTable,
  citedTable,
  grantTable,
  importItemsTable,
  importRunsTable,
  mailboxServerTable,
  mediaTable,
  mentionTable,
  newsTable,
  receivedTable,
  removalsTable,
  ...sendTables,
  ...hubTables,
  workTable,
];
