import { activityTable } from '../owner/activity.ts';
import { newsTable } from '../owner/news.ts';
import type { RecordTable } from '../storage/records/record-table.ts';

/** The tables of all features in records.sqlite. */
export const recordTables: readonly RecordTable[] = [activityTable, newsTable];
