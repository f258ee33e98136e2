/** What tests share that is about no one subject: processes, waiting, bytes to send. */
package io.rollotel.it.kit;
