/** Shared parts of tests without a subject of their own: processes, waiting, bytes to send. */
package io.rollotel.it.kit;
