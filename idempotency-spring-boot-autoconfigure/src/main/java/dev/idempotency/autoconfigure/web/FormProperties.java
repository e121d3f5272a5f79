/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package dev.idempotency.autoconfigure.web;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of HTML forms.
 *
 * @param insertKey Whether a hidden field with a fresh key is put into each form that is
 * rendered for a protected handler.
 */
record FormProperties(@DefaultValue("true") boolean insertKey) {

	static final FormProperties DEFAULTS = new FormProperties(true);

}
